// A row of the list: a job, or all jobs of an array or sweep that are meant.
import type { Job, Sweep } from '../../api/client';
import type { Sort } from './filters';

export const kFields = [
  'id', 'state', 'priority', 'exit_code', 'signal', 'cause', 'gpus', 'submitted_at', 'started_at', 'ended_at', 'name', 'command', 'user', 'array', 'progress', 'needs',
] as const;
// These cost the daemon much more, and are left out where thousands are asked for.
export const kDearFields = ['reason', 'estimated_start'] as const;
export type JobRow = Pick<Job, (typeof kFields)[number]> & Partial<Pick<Job, (typeof kDearFields)[number]>>;

export type Line = { kind: 'job'; id: number; job: JobRow } | { kind: 'sweep'; id: number; sweep: Sweep };

export function keyOf(line: Line): string {
  return line.kind === 'job' ? String(line.id) : `s${line.id}`;
}

const kOrder = ['held', 'queued', 'starting', 'running', 'pausing', 'paused', 'resuming', 'completed', 'failed', 'cancelled'];
// A sweep stands where the liveliest of its jobs would.
function stateOf(sweep: Sweep): number {
  const counts = sweep.counts as unknown as Record<string, number | undefined>;
  for (const state of ['running', 'starting', 'paused', 'queued', 'held', 'failed', 'completed', 'cancelled']) {
    if ((counts[state] ?? 0) > 0) return kOrder.indexOf(state);
  }
  return kOrder.length;
}
function valueOf(line: Line, sort: Sort): number | string | null {
  if (line.kind === 'job') {
    const { job } = line;
    if (sort === 'state') return kOrder.indexOf(job.state);
    if (sort === 'id' || sort === 'priority') return job[sort];
    return job[sort];
  }
  const { sweep } = line;
  switch (sort) {
    case 'state':
      return stateOf(sweep);
    case 'started_at':
    case 'ended_at':
      return null;
    default:
      return sweep[sort];
  }
}
// As the daemon orders rows: equals by their number, what has no such value last either way.
export function ordered(lines: Line[], sort: Sort, down: boolean): Line[] {
  const turn = down ? -1 : 1;
  return [...lines].sort((a, b) => {
    const one = valueOf(a, sort);
    const other = valueOf(b, sort);
    if (one === null || other === null) {
      if (one !== other) return one === null ? 1 : -1;
      return turn * (a.id - b.id);
    }
    if (one !== other) return one < other ? -turn : turn;
    return turn * (a.id - b.id);
  });
}

// Whether a job would stand before the last line that is loaded. What comes behind it is loaded when
// one gets there.
export function withinLoaded(job: JobRow, lines: Line[], sort: Sort, down: boolean): boolean {
  const last = lines[lines.length - 1];
  const line: Line = { kind: 'job', id: job.id, job };
  return !last || ordered([last, line], sort, down)[0] === line;
}
