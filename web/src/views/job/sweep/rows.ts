// The jobs of a sweep as rows of values: its parameters, what the jobs said of themselves
// ("loss=0.13 acc=0.9"), and what is known of each.
import type { Job } from '../../../api/client';
import { kEnded } from '../../../api/jobs';

export const kFields = ['id', 'state', 'values', 'said', 'progress', 'started_at', 'ended_at', 'exit_code', 'signal', 'cause', 'array', 'array_index', 'peak_card_vram_bytes'] as const;
export type SweepRow = Pick<Job, Exclude<(typeof kFields)[number], 'peak_card_vram_bytes'>> & Pick<Job, 'peak_card_vram_bytes'>;

export type Value = number | string | null;
export interface Column {
  // "p:lr", "s:loss", or one of those that every job has.
  key: string;
  name: string;
  kind: 'parameter' | 'said' | 'known';
}

const kSaid = /(?:^|[\s,;])([A-Za-z_][\w./-]*)\s*[=:]\s*([^\s,;]+)/g;

// A number as programs write it; null: it is none.
export function numberOf(text: string): number | null {
  const plain = text.replace(/%$/, '');
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return null;
  return Number(plain);
}
// "loss=0.13 acc=0.9" has two values.
export function valuesSaid(said: string | null): Map<string, number | string> {
  const found = new Map<string, number | string>();
  for (const [, name, text] of (said ?? '').matchAll(kSaid)) found.set(name as string, numberOf(text as string) ?? (text as string));
  return found;
}

export function columnsOf(rows: SweepRow[], parameters: string[]): Column[] {
  const said = new Set<string>();
  let step = false;
  for (const row of rows) {
    for (const name of valuesSaid(row.said).keys()) if (said.size < 30) said.add(name);
    step = step || row.progress !== null;
  }
  const known = ['duration', 'peak', ...(step ? ['step'] : [])];
  const names = parameters.length > 0 ? parameters : rows.some((row) => row.array_index !== null) ? ['index'] : [];
  return [
    ...names.map((name): Column => ({ key: name === 'index' && parameters.length === 0 ? 'index' : `p:${name}`, name, kind: 'parameter' })),
    ...[...said].map((name): Column => ({ key: `s:${name}`, name, kind: 'said' })),
    ...known.map((name): Column => ({ key: name, name, kind: 'known' })),
  ];
}

export function valueOf(row: SweepRow, key: string, now: number): Value {
  if (key.startsWith('p:')) {
    const text = row.values[key.slice(2)];
    return text === undefined ? null : (numberOf(text) ?? text);
  }
  if (key.startsWith('s:')) return valuesSaid(row.said).get(key.slice(2)) ?? null;
  switch (key) {
    case 'index':
      return row.array_index;
    case 'duration':
      return row.started_at === null ? null : ((row.ended_at ? Date.parse(row.ended_at) : now) - Date.parse(row.started_at)) / 1000;
    case 'peak':
      return row.peak_card_vram_bytes ?? null;
    case 'step':
      return row.progress?.step ?? null;
    case 'state':
      return row.state;
    default:
      return row.id;
  }
}

// Failures first, then what runs, then what waits; that is what one looks for.
const kOrder: Record<string, number> = { failed: 0, running: 1, starting: 1, pausing: 2, paused: 2, resuming: 2, queued: 3, held: 3, completed: 4, cancelled: 5 };
export function sorted(rows: SweepRow[], key: string, down: boolean, now: number): SweepRow[] {
  const turn = down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, value: key === 'state' ? (kOrder[row.state] ?? 9) : valueOf(row, key, now) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return a.value === b.value ? a.row.id - b.row.id : a.value === null ? 1 : -1;
    // Numbers stand before words.
    if (typeof a.value !== typeof b.value) return typeof a.value === 'number' ? -1 : 1;
    if (a.value !== b.value) return a.value < b.value ? -turn : turn;
    return a.row.id - b.row.id;
  });
  return keyed.map((one) => one.row);
}
export function hasFailed(row: SweepRow): boolean {
  return row.state === 'failed';
}
export function hasEnded(row: SweepRow): boolean {
  return kEnded.includes(row.state);
}
// Short and without noise: 0.30000000000000004 is 0.3.
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e') : String(Number(value.toPrecision(4)));
}
