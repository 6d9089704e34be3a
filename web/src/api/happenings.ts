// What just happened, read from how the rows of jobs and cards change. The words are made where it
// is shown, so that they are in the reader's language.
import type { Card, Job } from './client';

export type HappeningKind = 'submitted' | 'started' | 'done' | 'failed' | 'cancelled' | 'aside' | 'returned' | 'held' | 'released' | 'again' | 'card-bad' | 'card-good';
export interface Happening {
  // The same happening, heard of twice, has the same key.
  key: string;
  // Milliseconds since 1970.
  at: number;
  kind: HappeningKind;
  job: number | null;
  sweep: number | null;
  name: string | null;
  user: string | null;
  cards: number[];
  // Why: the cause of a failure, the state of a card.
  cause: string | null;
  detail: string | null;
}
// Happenings of one kind and one sweep in a row are told as one.
export interface HappeningRow {
  first: Happening;
  count: number;
}
const kKept = 400;
export const kShown = 30;

function kindOf(before: Job | undefined, job: Job): HappeningKind | null {
  switch (job.state) {
    case 'running':
      if (before?.state === 'running' && before.attempt === job.attempt) return null;
      return before && (before.state === 'paused' || before.state === 'resuming' || before.state === 'pausing') ? 'returned' : 'started';
    case 'completed':
      return 'done';
    case 'failed':
      return 'failed';
    case 'cancelled':
      return 'cancelled';
    case 'paused':
    case 'pausing':
      return before && before.state !== 'paused' && before.state !== 'pausing' ? 'aside' : null;
    case 'held':
      if (!before) return job.attempt === 0 ? 'submitted' : null;
      return before.state === 'held' ? null : 'held';
    case 'queued':
      if (!before) return job.attempt === 0 ? 'submitted' : null;
      if (before.state === 'held') return 'released';
      return before.state === 'queued' ? null : 'again';
    default:
      return null;
  }
}
const kOwnTime: Partial<Record<HappeningKind, (job: Job) => string | null>> = {
  submitted: (job) => job.submitted_at,
  started: (job) => job.started_at,
  done: (job) => job.ended_at,
  failed: (job) => job.ended_at,
  cancelled: (job) => job.ended_at,
};

export function happeningOf(before: Job | undefined, job: Job, now: number): Happening | null {
  const kind = kindOf(before, job);
  if (!kind) return null;
  const own = kOwnTime[kind]?.(job);
  const at = own ? Date.parse(own) : now;
  return {
    key: own ? `${job.id}.${job.attempt}.${kind}` : `${job.id}.${job.attempt}.${kind}.${now}`,
    at,
    kind,
    job: job.id,
    sweep: job.array,
    name: job.name,
    user: job.user,
    cards: job.gpus.map((card) => card.number),
    cause: kind === 'failed' || kind === 'cancelled' ? job.cause : null,
    detail: kind === 'failed' ? failureText(job) : kind === 'aside' ? job.reason : null,
  };
}
function failureText(job: Job): string | null {
  if (job.message) return job.message;
  return job.exit_code !== null && job.cause === 'exit' ? `exit ${job.exit_code}` : null;
}

export function cardHappenings(before: Card[], now: Card[], at: number): Happening[] {
  const states = new Map(before.map((card) => [card.uuid, card.state]));
  const found: Happening[] = [];
  for (const card of now) {
    const was = states.get(card.uuid);
    if (was === undefined || was === card.state) continue;
    const good = card.state === 'ok';
    found.push({ key: `card${card.number}.${card.state}.${at}`, at, kind: good ? 'card-good' : 'card-bad', job: null, sweep: null, name: null, user: null, cards: [card.number], cause: card.state, detail: card.reason ?? null });
  }
  return found;
}

// `kept` is newest first, and stays so.
export function withHappenings(kept: Happening[], fresh: Happening[]): Happening[] {
  if (fresh.length === 0) return kept;
  const keys = new Set(kept.map((one) => one.key));
  const really = fresh.filter((one) => {
    if (keys.has(one.key) || !Number.isFinite(one.at)) return false;
    keys.add(one.key);
    return true;
  });
  if (really.length === 0) return kept;
  return [...really, ...kept].sort((a, b) => b.at - a.at).slice(0, kKept);
}

export function rowsOf(happenings: Happening[]): HappeningRow[] {
  const rows: HappeningRow[] = [];
  for (const one of happenings) {
    const same = one.sweep === null ? undefined : rows.slice(-4).find((row) => row.first.sweep === one.sweep && row.first.kind === one.kind && row.first.cause === one.cause);
    if (same) same.count += 1;
    else if (rows.length === kShown) break;
    else rows.push({ first: one, count: 1 });
  }
  return rows;
}
