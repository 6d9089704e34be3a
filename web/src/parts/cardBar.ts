// What lies in the VRAM of a card, piece by piece, for a bar and for words.
import type { Card, Job } from '../api/client';

export interface Segment {
  // used: in use by a job. held: given to a job, not used yet. aside: of a job that is stopped where
  // it is. unlisted: used by nobody that the driver lists.
  kind: 'used' | 'held' | 'aside' | 'foreign' | 'unlisted' | 'reserved' | 'free';
  bytes: number;
  user: string | null;
  job: number | null;
  name: string | null;
}
export interface CardBarParts {
  segments: Segment[];
  // Of what the bar is full.
  total: number;
  // Where the part begins that sharing never hands out, in bytes from the left; null: unknown.
  headroomFrom: number | null;
  free: number | null;
}

const kLeastUnlisted = 16 * 1024 * 1024;
const kLeastHeadroom = 512 * 1024 * 1024;
const kHeadroomPart = 0.05;

// The rule that holds unless the configuration says otherwise.
export function headroomOf(card: Card): number {
  return Math.max(kLeastHeadroom, card.capacity_bytes * kHeadroomPart);
}
export function isKnown(card: Card): boolean {
  return card.sample?.used_bytes !== undefined && (card.state === 'ok' || card.state === 'drained' || card.state === 'ignored');
}

export function partsOf(card: Card, jobs: ReadonlyMap<number, Job>): CardBarParts {
  const processes = card.processes ?? [];
  const observed = new Map<number, number>();
  const foreign = new Map<string, Segment>();
  let listed = 0;
  for (const one of processes) {
    const vram = one.vram_bytes ?? 0;
    listed += vram;
    if (one.job !== undefined && one.job !== null) {
      observed.set(one.job, (observed.get(one.job) ?? 0) + vram);
      continue;
    }
    const user = one.user ?? '';
    const known = foreign.get(user);
    if (known) known.bytes += vram;
    else foreign.set(user, { kind: 'foreign', bytes: vram, user: one.user ?? null, job: null, name: one.command ?? one.name ?? null });
  }
  const aside = new Set((card.aside ?? []).map((one) => one.job));
  const ids = [...new Set([...card.jobs, ...observed.keys()])];
  const ofJobs: Segment[] = [];
  for (const id of ids) {
    const job = jobs.get(id);
    const used = observed.get(id) ?? 0;
    const who = { user: job?.user ?? processes.find((one) => one.job === id)?.user ?? null, job: id, name: job?.name ?? job?.command ?? null };
    if (used > 0) ofJobs.push({ kind: aside.has(id) ? 'aside' : 'used', bytes: used, ...who });
    const given = job?.gpus.find((one) => one.number === card.number)?.vram_bytes ?? 0;
    if (given > used && !aside.has(id)) ofJobs.push({ kind: 'held', bytes: given - used, ...who });
  }
  ofJobs.sort((a, b) => (a.user ?? '').localeCompare(b.user ?? '') || (a.job ?? 0) - (b.job ?? 0));
  const used = card.sample?.used_bytes;
  // Jobs of which this reader may see no row.
  const hidden = card.others?.vram_bytes ?? 0;
  const unlisted = used === undefined ? 0 : Math.max(0, used - listed - hidden);
  const reserved = card.reserved_bytes;
  const taken: Segment[] = [
    ...(reserved > 0 ? [{ kind: 'reserved' as const, bytes: reserved, user: null, job: null, name: null }] : []),
    ...ofJobs,
    ...(hidden > 0 ? [{ kind: 'held' as const, bytes: hidden, user: null, job: null, name: null }] : []),
    ...[...foreign.values()].filter((one) => one.bytes > 0),
    ...(unlisted > kLeastUnlisted ? [{ kind: 'unlisted' as const, bytes: unlisted, user: null, job: null, name: null }] : []),
  ];
  const sum = taken.reduce((before, one) => before + one.bytes, 0);
  // A card may hold more promises than memory when a job uses more than it was given.
  const total = Math.max(card.vram_bytes, sum);
  const known = isKnown(card);
  const free = known ? Math.max(0, total - sum) : null;
  const segments = free !== null && free > 0 ? [...taken, { kind: 'free' as const, bytes: free, user: null, job: null, name: null }] : taken;
  const headroomFrom = known ? Math.max(0, Math.min(total, card.vram_bytes - headroomOf(card))) : null;
  return { segments, total, headroomFrom, free };
}
