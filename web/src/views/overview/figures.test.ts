import { describe, expect, it } from 'vitest';
import type { Card, Counts, Job, Sweep } from '../../api/client';
import { isFree, nextStart, sizeFor, waitingOf } from './figures';

const job = (id: number, user: string, estimated_start: string | null) => ({ id, user, state: 'queued', estimated_start }) as Job;

describe('the overview', () => {
  it('knows the next start of a user', () => {
    const jobs = new Map([job(1, 'a', '2026-01-01T10:00:00Z'), job(2, 'b', '2026-01-01T09:30:00Z'), job(3, 'b', null), job(4, 'b', '2026-01-01T09:00:00Z')].map((one) => [one.id, one]));
    const machine = { waiting: [1, 2, 3, 4], queue: [], jobs };
    expect(nextStart(machine, 'b')?.id).toBe(4);
    expect(nextStart(machine, 'a')?.id).toBe(1);
    expect(nextStart(machine, 'c')).toBeNull();
    expect(nextStart({ ...machine, waiting: [3] }, 'b')?.id).toBe(3);
  });
  it('counts a card as free only when nobody at all is on it', () => {
    const free = { managed: true, state: 'ok', usable: true, jobs: [], foreign_bytes: 0 } as unknown as Card;
    expect(isFree(free)).toBe(true);
    expect(isFree({ ...free, foreign_bytes: 1 })).toBe(false);
    expect(isFree({ ...free, jobs: [1] })).toBe(false);
    expect(isFree({ ...free, state: 'unknown' })).toBe(false);
    expect(isFree({ ...free, managed: false })).toBe(false);
  });
  it('counts what waits of a user, sweeps too, and says when it does not know all', () => {
    const jobs = new Map([job(1, 'a', null), job(2, 'b', null)].map((one) => [one.id, one]));
    const queue = [1, 2].map((id) => ({ kind: 'job' as const, id, place: id, priority: 50 }));
    const sweeps = [{ id: 9, user: 'a', counts: { queued: 98, held: 0 } } as Sweep];
    expect(waitingOf({ queue, jobs, sweeps, counts: { queued: 100, held: 0 } as Counts }, 'a')).toEqual({ count: 99, whole: true });
    expect(waitingOf({ queue, jobs, sweeps, counts: { queued: 900, held: 0 } as Counts }, 'b')).toEqual({ count: 1, whole: false });
  });
  it('gives two cards more room than sixteen', () => {
    expect([1, 2, 4, 8, 16].map(sizeFor)).toEqual(['tall', 'tall', 'plain', 'small', 'small']);
  });
});
