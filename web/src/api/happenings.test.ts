import { describe, expect, it } from 'vitest';
import type { Card, Job } from './client';
import { cardHappenings, happeningOf, kShown, rowsOf, withHappenings } from './happenings';

const job = (state: string, more: Partial<Job> = {}) =>
  ({ id: 7, state, attempt: 1, array: null, name: 'train', user: 'ml1', gpus: [], cause: null, message: null, exit_code: null, reason: null, submitted_at: '2026-01-01T08:00:00Z', started_at: '2026-01-01T08:01:00Z', ended_at: '2026-01-01T09:00:00Z', ...more }) as Job;

describe('what just happened', () => {
  it('is read from the change of a row', () => {
    const kind = (before: string | null, now: string) => happeningOf(before ? job(before) : undefined, job(now), 5)?.kind ?? null;
    expect(kind('starting', 'running')).toBe('started');
    expect(kind('running', 'running')).toBeNull();
    expect(kind('resuming', 'running')).toBe('returned');
    expect(kind('running', 'pausing')).toBe('aside');
    expect(kind('pausing', 'paused')).toBeNull();
    expect(kind('held', 'queued')).toBe('released');
    expect(kind('queued', 'held')).toBe('held');
    expect(kind('held', 'held')).toBeNull();
    expect(happeningOf(undefined, job('held', { attempt: 0 }), 5)?.kind).toBe('submitted');
    expect(kind('running', 'queued')).toBe('again');
    expect(kind('running', 'failed')).toBe('failed');
    expect(kind(null, 'completed')).toBe('done');
    expect(kind(null, 'paused')).toBeNull();
  });
  it('is told once, though it is heard of again after a lost connection', () => {
    const done = happeningOf(undefined, job('completed'), 5);
    const again = happeningOf(job('running'), job('completed'), 99);
    expect(done && again && withHappenings([done], [again])).toEqual([done]);
    expect(done && again && withHappenings([], [done, again])).toEqual([done]);
  });
  it('is in the order of time, newest first', () => {
    const old = happeningOf(undefined, job('completed', { id: 1, ended_at: '2026-01-01T07:00:00Z' }), 5);
    const late = happeningOf(undefined, job('failed', { id: 2, cause: 'cuda_oom' }), 5);
    expect(old && late && withHappenings([old], [late]).map((one) => one.job)).toEqual([2, 1]);
  });
  it('folds the jobs of a sweep, and ends somewhere', () => {
    const many = Array.from({ length: 50 }, (_, index) => happeningOf(undefined, job('completed', { id: index, array: 3 }), 0)!);
    expect(rowsOf(many)).toMatchObject([{ count: 50 }]);
    const single = Array.from({ length: 50 }, (_, index) => happeningOf(undefined, job('completed', { id: index }), 0)!);
    expect(rowsOf(single).length).toBe(kShown);
  });
  it('has cards that were lost or came back', () => {
    const card = (state: string) => [{ uuid: 'GPU-1', number: 2, state, reason: 'XID 79' }] as Card[];
    expect(cardHappenings(card('ok'), card('gone'), 9)).toMatchObject([{ kind: 'card-bad', cards: [2], cause: 'gone' }]);
    expect(cardHappenings(card('gone'), card('ok'), 9)).toMatchObject([{ kind: 'card-good' }]);
    expect(cardHappenings([], card('gone'), 9)).toEqual([]);
  });
});
