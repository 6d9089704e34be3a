// The queue as one list: single jobs, and each sweep in the place of its first job that waits.
import type { Job, Sweep } from './client';

export interface QueueRow {
  kind: 'job' | 'sweep';
  id: number;
  // The place in the order in which jobs would start; null: further behind than was asked for.
  place: number | null;
  priority: number;
}

export function rowKey(row: QueueRow): string {
  return `${row.kind}${row.id}`;
}
export function waits(job: Job): boolean {
  return job.state === 'queued' || job.state === 'held';
}
export function sweepWaits(sweep: Sweep): boolean {
  return sweep.counts.queued + sweep.counts.held > 0;
}

// `first`: the first jobs that wait, those of sweeps among them, in true order. `single` and
// `sweeps`: the same queue with sweeps folded, further than `first` reaches.
export function queueOf(first: Job[], single: Job[], sweeps: Sweep[]): QueueRow[] {
  const rows: QueueRow[] = [];
  const seen = new Set<string>();
  const folded = new Map(sweeps.map((sweep) => [sweep.id, sweep]));
  const add = (row: QueueRow) => {
    const key = rowKey(row);
    if (seen.has(key)) return;
    seen.add(key);
    rows.push(row);
  };
  first.forEach((job, index) => {
    const sweep = job.array === null ? undefined : folded.get(job.array);
    add({ kind: sweep ? 'sweep' : 'job', id: sweep ? sweep.id : job.id, place: index + 1, priority: job.priority });
  });
  const rest: QueueRow[] = [
    ...single.map((job) => ({ kind: 'job' as const, id: job.id, place: null, priority: job.priority })),
    ...sweeps.filter(sweepWaits).map((sweep) => ({ kind: 'sweep' as const, id: sweep.id, place: null, priority: sweep.priority })),
  ];
  // Each of the two lists is in order; between them the priority is the best that is known.
  rest.sort((a, b) => b.priority - a.priority);
  rest.forEach(add);
  return rows;
}

// Where a job that has just come is shown until the daemon has said where it stands.
export function withNewJob(rows: QueueRow[], job: Job): QueueRow[] {
  if (rows.some((row) => row.kind === 'job' && row.id === job.id)) return rows;
  const before = rows.findIndex((row) => row.priority < job.priority);
  const row: QueueRow = { kind: 'job', id: job.id, place: null, priority: job.priority };
  return before < 0 ? [...rows, row] : [...rows.slice(0, before), row, ...rows.slice(before)];
}
export function withoutJob(rows: QueueRow[], id: number): QueueRow[] {
  return rows.some((row) => row.kind === 'job' && row.id === id) ? rows.filter((row) => row.kind !== 'job' || row.id !== id) : rows;
}
