// The stretch of time that is shown: moved, stretched, written into the address, and read from it.
// All times in milliseconds since 1970.
export interface Range {
  from: number;
  until: number;
}
export const kMinute = 60_000;
export const kHour = 60 * kMinute;
export const kDay = 24 * kHour;
const kShortest = 2 * kMinute;
const kLongest = 60 * kDay;

// What is shown when nobody said what: the past day, and what is expected of the next hours.
// Of a machine that is known for less than a day, less: else all of it would be a strip at the edge.
export function usual(now: number, knownSince: number | null = null): Range {
  const past = Math.min(kDay, Math.max(kHour, (now - (knownSince ?? 0)) * 1.05));
  return { from: now - past, until: now + past / 4 };
}
// A quarter of it lies in the future.
export function around(now: number, span: number): Range {
  return { from: now - span * 0.8, until: now + span * 0.2 };
}
export function moved(range: Range, by: number): Range {
  return { from: range.from + by, until: range.until + by };
}
export function zoomed(range: Range, factor: number, at: number): Range {
  const span = range.until - range.from;
  const next = Math.min(kLongest, Math.max(kShortest, span * factor));
  const part = Math.min(1, Math.max(0, (at - range.from) / span));
  return { from: at - next * part, until: at + next * (1 - part) };
}
// The scrubber's moment stays in sight.
export function containing(range: Range, at: number): Range {
  if (at >= range.from && at <= range.until) return range;
  return moved(range, at - (range.from + range.until) / 2);
}

// Asked for are steps that do not change with every pixel, and more than is seen.
export function asked(range: Range): Range {
  const span = range.until - range.from;
  const step = kMinute * 2 ** Math.ceil(Math.log2(span / kMinute));
  const from = Math.floor(range.from / step) * step;
  return { from, until: from + 2 * step };
}

const kUnits: Record<string, number> = { s: 1000, m: kMinute, min: kMinute, h: kHour, d: kDay };
// RFC 3339, a duration back ("24h"), or ahead ("+6h").
export function readTime(text: string | null, now: number): number | null {
  if (!text) return null;
  const span = /^([+-]?)(\d+(?:\.\d+)?)(s|min|m|h|d)$/.exec(text.replace(/^ /, '+'));
  if (span) return now + (span[1] === '+' ? 1 : -1) * Number(span[2]) * (kUnits[span[3] ?? 's'] ?? 1000);
  const at = Date.parse(text);
  return Number.isFinite(at) ? at : null;
}
export function writeTime(at: number): string {
  return new Date(Math.round(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
export function readRange(from: string | null, until: string | null, now: number): Range | null {
  const begin = readTime(from, now);
  const end = readTime(until, now);
  if (begin === null && end === null) return null;
  const range = { from: begin ?? (end ?? now) - kDay, until: end ?? Math.max(now + 6 * kHour, (begin ?? now) + kHour) };
  return range.until - range.from >= kShortest ? range : null;
}

const kSteps = [kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute, kHour, 2 * kHour, 3 * kHour, 6 * kHour, 12 * kHour, kDay, 2 * kDay, 7 * kDay, 14 * kDay];
export interface Tick {
  at: number;
  // A new day begins.
  day: boolean;
}
// Where the axis has its marks, at round times of the reader's clock.
export function ticksOf(range: Range, width: number, apart = 84): Tick[] {
  const span = range.until - range.from;
  const most = Math.max(2, Math.floor(width / apart));
  const step = kSteps.find((one) => span / one <= most) ?? 28 * kDay;
  const ticks: Tick[] = [];
  const midnight = new Date(range.from);
  midnight.setHours(0, 0, 0, 0);
  if (step >= kDay) {
    const days = Math.round(step / kDay);
    const day = midnight;
    while (day.getTime() <= range.until) {
      if (day.getTime() >= range.from) ticks.push({ at: day.getTime(), day: true });
      day.setDate(day.getDate() + days);
    }
    return ticks;
  }
  // Each day is gone through by itself, since one has 23 or 25 hours now and then.
  for (const day = midnight; day.getTime() <= range.until; day.setDate(day.getDate() + 1)) {
    const next = new Date(day);
    next.setDate(next.getDate() + 1);
    for (let at = day.getTime(); at < next.getTime() - step / 2; at += step) {
      if (at >= range.from && at <= range.until) ticks.push({ at, day: at === day.getTime() });
    }
  }
  return ticks;
}
