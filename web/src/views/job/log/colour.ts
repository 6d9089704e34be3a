// Colours of programs, made readable on our ground: mixed towards the text's colour until the
// contrast is at least 4.5.
export type Rgb = [number, number, number];

const kContrast = 4.5;
const kGround: Record<'light' | 'dark', Rgb> = { light: [255, 255, 255], dark: [18, 22, 28] };
const kText: Record<'light' | 'dark', Rgb> = { light: [20, 24, 29], dark: [230, 233, 238] };

function bright([r, g, b]: Rgb): number {
  const part = (value: number) => {
    const one = value / 255;
    return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}
export function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [bright(one), bright(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}
function mixed(one: Rgb, other: Rgb, part: number): Rgb {
  return one.map((value, i) => Math.round(value + ((other[i] as number) - value) * part)) as Rgb;
}
export function readable(colour: Rgb, ground: Rgb): Rgb {
  const black: Rgb = [0, 0, 0];
  const white: Rgb = [255, 255, 255];
  const towards = contrast(black, ground) > contrast(white, ground) ? black : white;
  for (let part = 0; part <= 1; part += 0.1) {
    const tried = mixed(colour, towards, part);
    if (contrast(tried, ground) >= kContrast) return tried;
  }
  return towards;
}

function rgbOf(text: string, theme: 'light' | 'dark'): Rgb {
  if (text === 'ground') return kGround[theme];
  if (text === 'text') return kText[theme];
  const parts = text.split(',').map((part) => Math.max(0, Math.min(255, Number(part) || 0)));
  return [parts[0] ?? 0, parts[1] ?? 0, parts[2] ?? 0];
}
const known = new Map<string, { color: string; background: string }>();
// As CSS; empty: as all text.
export function shownColours(fg: string | null, bg: string | null, theme: 'light' | 'dark'): { color: string; background: string } {
  const key = `${fg}|${bg}|${theme}`;
  const before = known.get(key);
  if (before) return before;
  const ground = bg ? rgbOf(bg, theme) : kGround[theme];
  const colour = readable(fg ? rgbOf(fg, theme) : kText[theme], ground);
  const css = { color: fg || bg ? `rgb(${colour.join(' ')})` : '', background: bg ? `rgb(${ground.join(' ')})` : '' };
  if (known.size > 2000) known.clear();
  known.set(key, css);
  return css;
}
