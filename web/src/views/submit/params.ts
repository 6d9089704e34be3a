// Values of parameters, as `--param` of the command line reads them: "a,b", "1:5", "0:1:0.1" exact
// in decimals, "1e-5:1e-4:1e-5"; a backslash makes a comma or colon ordinary.
export interface Parameter {
  name: string;
  values: string[];
}
export type ParamFault = 'form' | 'values' | 'step' | 'empty' | 'many' | 'twice' | 'digits';
export const kJobsMost = 100_000;

interface Decimal {
  digits: bigint;
  places: number;
  exponent: boolean;
}

function decimalOf(text: string): Decimal | null {
  const found = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text);
  if (!found || !`${found[2]}${found[3] ?? ''}`) return null;
  const fraction = found[3] ?? '';
  let places = fraction.length - Number(found[4] ?? 0);
  let digits = BigInt(`${found[2]}${fraction}`) * (found[1] ? -1n : 1n);
  for (; places < 0; places += 1) digits *= 10n;
  return places > 18 ? null : { digits, places, exponent: found[4] !== undefined };
}
function plainText(digits: bigint, places: number): string {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, '0');
  return places === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}
function exponentText(digits: bigint, places: number): string {
  if (digits === 0n) return '0';
  const all = String(digits < 0n ? -digits : digits);
  const power = all.length - 1 - places;
  const text = all.replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${text[0]}${text.length > 1 ? `.${text.slice(1)}` : ''}${power === 0 ? '' : `e${power}`}`;
}
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let i = 0; i < text.length; i += 1) {
    if (text[i] === '\\') {
      part += text.slice(i, i + 2);
      i += 1;
    } else if (text[i] === mark) {
      parts.push(part);
      part = '';
    } else part += text[i];
  }
  return [...parts, part];
}

// The values of a range; null: it is none.
function rangeOf(piece: string): string[] | ParamFault | null {
  const parts = splitAt(piece, ':');
  if (parts.length !== 2 && parts.length !== 3) return null;
  const numbers = parts.map(decimalOf);
  if (numbers.some((one) => one === null)) return null;
  const known = numbers as Decimal[];
  const places = Math.max(...known.map((one) => one.places));
  const scaled = known.map((one) => one.digits * 10n ** BigInt(places - one.places));
  const [first, last] = scaled as [bigint, bigint];
  const step = scaled[2] ?? 10n ** BigInt(places);
  if (step === 0n) return 'step';
  if (last !== first && last > first !== step > 0n) return 'empty';
  const count = (last - first) / step;
  if (count >= BigInt(kJobsMost)) return 'many';
  const text = known.some((one) => one.exponent) ? exponentText : plainText;
  return Array.from({ length: Number(count) + 1 }, (_, i) => text(first + BigInt(i) * step, places));
}

export function parameterOf(line: string): Parameter | ParamFault {
  const found = /^\s*([A-Za-z0-9_.-]+)\s*=([\s\S]*)$/.exec(line);
  if (!found) return 'form';
  const values: string[] = [];
  for (const piece of splitAt((found[2] as string).trim(), ',')) {
    const range = rangeOf(piece.trim());
    if (typeof range === 'string') return range;
    if (range) values.push(...range);
    else values.push(piece.trim().replace(/\\([,:\\])/g, '$1'));
    if (values.length > kJobsMost) return 'many';
  }
  if (values.length === 1 && values[0] === '') return 'values';
  return { name: found[1] as string, values };
}

// One parameter in a line.
export function parametersOf(text: string): Parameter[] | ParamFault {
  const parameters: Parameter[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const parameter = parameterOf(line);
    if (typeof parameter === 'string') return parameter;
    if (parameters.some((one) => one.name === parameter.name)) return 'twice';
    parameters.push(parameter);
  }
  return countOf(parameters) > kJobsMost ? 'many' : parameters;
}
export function countOf(parameters: Parameter[]): number {
  return parameters.reduce((product, one) => product * one.values.length, 1);
}
// The first so many combinations; the last parameter changes fastest.
export function tasksOf(parameters: Parameter[], most = Infinity): { values: Record<string, string> }[] {
  const count = Math.min(countOf(parameters), most);
  return Array.from({ length: count }, (_, i) => {
    let rest = i;
    const values: [string, string][] = [];
    for (const one of [...parameters].reverse()) {
      values.unshift([one.name, one.values[rest % one.values.length] as string]);
      rest = Math.floor(rest / one.values.length);
    }
    return { values: Object.fromEntries(values) };
  });
}
