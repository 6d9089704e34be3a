// A small curve without axes that lies behind a figure. What is unknown is a gap.
import './last-hour.css';

interface Props {
  values: (number | null)[];
  // What is at the top; absent: the highest value.
  most?: number;
  // What is at the bottom.
  least?: number;
  colour?: string;
}
const kWide = 100;
const kHigh = 30;

// The lines of an SVG path, one for each stretch without a gap.
export function stretches(values: (number | null)[], least: number, most: number): [number, number][][] {
  const all: [number, number][][] = [];
  let now: [number, number][] = [];
  const step = kWide / Math.max(1, values.length - 1);
  const range = Math.max(1e-9, most - least);
  values.forEach((value, index) => {
    if (value === null) {
      if (now.length > 0) all.push(now);
      now = [];
      return;
    }
    const part = Math.min(1, Math.max(0, (value - least) / range));
    now.push([index * step, kHigh - 1 - part * (kHigh - 3)]);
  });
  if (now.length > 0) all.push(now);
  // One value alone is a short line: a point would not be seen.
  return all.map((one) => (one.length === 1 && one[0] ? [[Math.max(0, one[0][0] - step / 2), one[0][1]], [one[0][0] + step / 2, one[0][1]]] : one));
}
const place = (value: number) => value.toFixed(1);

export function LastHour({ values, most, least = 0, colour }: Props) {
  const top = most ?? Math.max(least + 1e-9, ...values.map((value) => value ?? least));
  const lines = stretches(values, least, top);
  const line = lines.map((one) => `M${one.map(([x, y]) => `${place(x)} ${place(y)}`).join('L')}`).join('');
  const area = lines.map((one) => `M${place(one[0]?.[0] ?? 0)} ${kHigh}L${one.map(([x, y]) => `${place(x)} ${place(y)}`).join('L')}L${place(one.at(-1)?.[0] ?? 0)} ${kHigh}Z`).join('');
  return (
    <svg class="last-hour" viewBox={`0 0 ${kWide} ${kHigh}`} preserveAspectRatio="none" aria-hidden="true" style={colour ? { color: colour } : undefined}>
      <path class="area" d={area} />
      <path class="line" d={line} />
    </svg>
  );
}
