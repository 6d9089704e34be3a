// Pure readings of what the overview shows.
import type { Card, Job } from '../../api/client';
import type { Machine } from '../../api/machine';

export function isFree(card: Card): boolean {
  return card.managed && card.state === 'ok' && card.usable && card.jobs.length === 0 && (card.others?.jobs ?? 0) === 0 && card.foreign_bytes === 0;
}
export function managed(cards: Card[]): Card[] {
  return cards.filter((card) => card.managed);
}

// The job of `user` that is expected to start first; else the first of which nobody can say.
export function nextStart(machine: Pick<Machine, 'waiting' | 'queue' | 'jobs'>, user: string): Job | null {
  let best: Job | null = null;
  let unknown: Job | null = null;
  const ids = new Set([...machine.waiting, ...machine.queue.filter((row) => row.kind === 'job').map((row) => row.id)]);
  for (const id of ids) {
    const job = machine.jobs.get(id);
    // What is held starts when somebody releases it.
    if (!job || job.user !== user || job.state !== 'queued') continue;
    if (!job.estimated_start) unknown ??= job;
    else if (!best || job.estimated_start < (best.estimated_start ?? '')) best = job;
  }
  return best ?? unknown;
}

// How much room a card has on the screen.
export type Size = 'tall' | 'plain' | 'small';
export function sizeFor(count: number): Size {
  return count <= 2 ? 'tall' : count >= 8 ? 'small' : 'plain';
}

// How many that wait are of `user`; `whole` false: there are more than the page asked for.
export function waitingOf(machine: Pick<Machine, 'queue' | 'jobs' | 'sweeps' | 'counts'>, user: string): { count: number; whole: boolean } {
  let count = 0;
  let seen = 0;
  for (const row of machine.queue) {
    if (row.kind !== 'job') continue;
    seen += 1;
    if (machine.jobs.get(row.id)?.user === user) count += 1;
  }
  for (const sweep of machine.sweeps) {
    const waiting = sweep.counts.queued + sweep.counts.held;
    seen += waiting;
    if (sweep.user === user) count += waiting;
  }
  const all = machine.counts ? machine.counts.queued + machine.counts.held : 0;
  return { count, whole: seen >= all };
}
