import { describe, expect, it } from 'vitest';
import type { Job, Sweep } from './client';
import { queueOf, rowKey, withNewJob, withoutJob } from './queue';

const job = (id: number, priority = 50, array: number | null = null) => ({ id, priority, array, state: 'queued' }) as Job;
const sweep = (id: number, queued: number, priority = 50) => ({ id, priority, counts: { queued, held: 0 } }) as Sweep;

describe('the queue', () => {
  it('has a sweep once, where its first job waits', () => {
    const rows = queueOf([job(9, 80), job(3, 50, 2), job(4, 50, 2), job(12, 40)], [job(9, 80), job(12, 40)], [sweep(2, 2)]);
    expect(rows.map(rowKey)).toEqual(['job9', 'sweep2', 'job12']);
    expect(rows.map((row) => row.place)).toEqual([1, 2, 4]);
  });
  it('goes on behind what was asked for in true order, without places', () => {
    const rows = queueOf([job(3, 50, 2)], [job(12, 40), job(13, 40)], [sweep(2, 9000), sweep(20, 4, 45), sweep(30, 0)]);
    expect(rows.map(rowKey)).toEqual(['sweep2', 'sweep20', 'job12', 'job13']);
    expect(rows.map((row) => row.place)).toEqual([1, null, null, null]);
  });
  it('takes a new job behind those of its priority', () => {
    const rows = queueOf([job(1, 80), job(2), job(3, 20)], [], []);
    expect(withNewJob(rows, job(4)).map((row) => row.id)).toEqual([1, 2, 4, 3]);
    expect(withNewJob(rows, job(2))).toBe(rows);
    expect(withoutJob(rows, 2).map((row) => row.id)).toEqual([1, 3]);
    expect(withoutJob(rows, 7)).toBe(rows);
  });
});
