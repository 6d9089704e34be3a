import { describe, expect, it } from 'vitest';
import type { Card, Job } from '../api/client';
import { partsOf } from './cardBar';

const G = 1024 ** 3;
const job = (id: number, user: string, given: number) => [id, { id, user, name: `job ${id}`, gpus: [{ number: 0, vram_bytes: given }] } as unknown as Job] as const;
const card = (more: Partial<Card>) => ({ number: 0, uuid: 'GPU-0', state: 'ok', vram_bytes: 24 * G, capacity_bytes: 24 * G, reserved_bytes: 0, jobs: [], sample: { used_bytes: 0 }, ...more }) as Card;
const short = (parts: ReturnType<typeof partsOf>) => parts.segments.map((one) => [one.kind, one.user, one.bytes / G]);

describe('the bar of a card', () => {
  it('says what is used, what is given and not used yet, and what is free', () => {
    const parts = partsOf(card({ jobs: [7], sample: { used_bytes: 6 * G }, processes: [{ pid: 1, kind: 'compute', vram_bytes: 6 * G, job: 7 }] as Card['processes'] }), new Map([job(7, 'ml1', 8 * G)]));
    expect(short(parts)).toEqual([['used', 'ml1', 6], ['held', 'ml1', 2], ['free', null, 16]]);
  });
  it('names the owners of processes that are no jobs, and what no process holds', () => {
    const processes = [{ pid: 1, vram_bytes: 1 * G, user: 'ana' }, { pid: 2, vram_bytes: 2 * G, user: 'ana' }] as Card['processes'];
    expect(short(partsOf(card({ sample: { used_bytes: 5 * G }, reserved_bytes: 1 * G, processes }), new Map()))).toEqual([['reserved', null, 1], ['foreign', 'ana', 3], ['unlisted', null, 2], ['free', null, 18]]);
  });
  it('has no free part where nothing is known', () => {
    const parts = partsOf(card({ state: 'unknown', sample: undefined, jobs: [7] }), new Map([job(7, 'ml1', 8 * G)]));
    expect(short(parts)).toEqual([['held', 'ml1', 8]]);
    expect(parts.free).toBeNull();
    expect(parts.headroomFrom).toBeNull();
  });
  it('keeps a frozen job apart, and is never fuller than full', () => {
    const parts = partsOf(card({ jobs: [7], aside: [{ job: 5 }] as Card['aside'], sample: { used_bytes: 30 * G }, processes: [{ pid: 1, vram_bytes: 20 * G, job: 5 }, { pid: 2, vram_bytes: 10 * G, job: 7 }] as Card['processes'] }), new Map([job(5, 'b', 20 * G), job(7, 'a', 8 * G)]));
    expect(short(parts)).toEqual([['used', 'a', 10], ['aside', 'b', 20]]);
    expect(parts.total).toBe(30 * G);
  });
});
