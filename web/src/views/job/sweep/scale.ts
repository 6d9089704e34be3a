// Where a value stands on an axis: numbers linear or by their powers of ten, words one beside the
// other.
export type AxisKind = 'linear' | 'log' | 'words';
export interface Axis {
  kind: AxisKind;
  // 0 to 1; null: it does not stand on this axis (0 where powers of ten are shown).
  place: (value: number | string | null) => number | null;
  ticks: { at: number; value: number | string }[];
}

function niceStep(span: number, wanted: number): number {
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const lead = rough / power;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}
function numeric(values: (number | string | null)[]): number[] {
  return values.filter((one): one is number => typeof one === 'number' && Number.isFinite(one));
}

// Numbers over more than two powers of ten are better seen by their powers.
export function kindOf(values: (number | string | null)[]): AxisKind {
  const numbers = numeric(values);
  if (values.some((one) => typeof one === 'string') || numbers.length === 0) return 'words';
  const least = Math.min(...numbers);
  return least > 0 && Math.max(...numbers) / least >= 100 ? 'log' : 'linear';
}

export function axisOf(values: (number | string | null)[], kind: AxisKind, wanted = 5): Axis {
  if (kind === 'words') {
    const words = [...new Set(values.filter((one) => one !== null).map(String))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    const place = (value: number | string | null) => {
      const at = value === null ? -1 : words.indexOf(String(value));
      return at < 0 ? null : (at + 0.5) / words.length;
    };
    const every = Math.ceil(words.length / 12);
    return { kind, place, ticks: words.flatMap((word, i) => (i % every === 0 ? [{ at: (i + 0.5) / words.length, value: word }] : [])) };
  }
  const log = kind === 'log';
  const numbers = numeric(values).filter((one) => !log || one > 0).map((one) => (log ? Math.log10(one) : one));
  let low = numbers.length > 0 ? numbers.reduce((a, b) => Math.min(a, b)) : 0;
  let high = numbers.length > 0 ? numbers.reduce((a, b) => Math.max(a, b)) : 1;
  if (low === high) {
    const by = log ? 0.5 : Math.abs(low) / 2 || 1;
    low -= by;
    high += by;
  }
  const margin = (high - low) * 0.05;
  low -= margin;
  high += margin;
  const step = log ? Math.max(1, Math.ceil((high - low) / wanted)) : niceStep(high - low, wanted);
  const ticks: Axis['ticks'] = [];
  for (let i = Math.ceil(low / step); i * step <= high && ticks.length < 20; i += 1) {
    const value = i * step;
    ticks.push({ at: (value - low) / (high - low), value: log ? 10 ** value : Number(value.toPrecision(12)) });
  }
  const place = (value: number | string | null) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || (log && value <= 0)) return null;
    return ((log ? Math.log10(value) : value) - low) / (high - low);
  };
  return { kind, place, ticks };
}
