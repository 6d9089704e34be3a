// Rows of a report for people: the largest first, and what is beyond a bounded number as one.
import type { Schemas } from '../../../api/client';

export type Report = Schemas['Report'];
export type Row = Schemas['ReportRow'];
export const kBys = ['user', 'tenant', 'project', 'program', 'name', 'card'] as const;
export type By = (typeof kBys)[number];

// null: the row stands for what has no name of this kind.
export function nameOfRow(row: Row, by: string): string | null {
  if (by === 'card') return row.card === null || row.card === undefined ? null : String(row.card);
  const name = row[by as 'user'];
  return name ? name : null;
}
export function keyOfRow(row: Row, by: string): string {
  if (row.others) return 'others';
  return by === 'card' ? `card ${row.card ?? 'none'}` : `is ${nameOfRow(row, by) ?? ''}`;
}
export function inOrder(rows: Row[], by: string): Row[] {
  return [...rows].sort((a, b) => Number(a.others ?? false) - Number(b.others ?? false) || (by === 'card' ? (a.card ?? 1e9) - (b.card ?? 1e9) : b.gpu_seconds - a.gpu_seconds));
}
export function fold<T>(rows: T[], most: number): { shown: T[]; rest: T[] } {
  // One row more is shorter than a row that says that there is one more.
  if (rows.length <= most + 1) return { shown: rows, rest: [] };
  return { shown: rows.slice(0, most), rest: rows.slice(most) };
}

export function failuresByCause(rows: Row[]): { cause: string; attempts: number }[] {
  const sums = new Map<string, number>();
  for (const row of rows) for (const one of row.failures ?? []) sums.set(one.cause, (sums.get(one.cause) ?? 0) + one.attempts);
  return [...sums].map(([cause, attempts]) => ({ cause, attempts })).sort((a, b) => b.attempts - a.attempts);
}

// The hours of a day as the daemon counts them, in UTC, moved to the reader's. Zones with half hours
// get the hour in which most of it lies.
export function hoursHere(hours: number[], offsetMinutes = -new Date().getTimezoneOffset()): number[] {
  const by = Math.round(offsetMinutes / 60);
  return hours.map((_, here) => hours[(((here - by) % 24) + 24) % 24] ?? 0);
}

export interface Matrix {
  waiters: string[];
  // '' stands for nobody: the cards were free.
  holders: string[];
  seconds: number[][];
  most: number;
  folded: number;
}
// Who waited for whom, of at most so many tenants; the others are left to the table of the CSV.
export function matrixOf(pairs: Schemas['ReportWaitedFor'][], most = 8): Matrix {
  const sums = (by: 'tenant' | 'holder') => {
    const found = new Map<string, number>();
    for (const pair of pairs) found.set(pair[by], (found.get(pair[by]) ?? 0) + pair.seconds);
    return [...found].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  };
  const [allWaiters, allHolders] = [sums('tenant'), sums('holder')];
  const waiters = allWaiters.slice(0, most);
  const holders = allHolders.slice(0, most);
  const seconds = waiters.map((waiter) =>
    holders.map((holder) => pairs.filter((pair) => pair.tenant === waiter && pair.holder === holder).reduce((sum, pair) => sum + pair.seconds, 0)),
  );
  return { waiters, holders, seconds, most: Math.max(0, ...seconds.flat()), folded: Math.max(allWaiters.length - waiters.length, allHolders.length - holders.length, 0) };
}
// Every day of the period has a place, also those on which nothing ran. Days before the first that is
// kept as a month stay as they are.
export function everyDay(days: Schemas['ReportDay'][], since: string, until: string): { day: string; gpuHours: number }[] {
  const known = new Map(days.map((one) => [one.day, one.gpu_seconds / 3600]));
  const from = Date.parse(`${since.slice(0, 10)}T00:00:00Z`);
  const to = Date.parse(until);
  const count = Math.ceil((to - from) / 86_400_000);
  if (!(count > 0) || count > 100) return days.map((one) => ({ day: one.day, gpuHours: one.gpu_seconds / 3600 }));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(from + index * 86_400_000).toISOString().slice(0, 10);
    return { day, gpuHours: known.get(day) ?? 0 };
  });
}
