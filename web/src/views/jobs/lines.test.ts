import { expect, test } from 'vitest';
import type { Sweep } from '../../api/client';
import { type JobRow, type Line, keyOf, ordered, withinLoaded } from './lines';

const job = (id: number, more: object): Line => ({ kind: 'job', id, job: { id, priority: 50, state: 'queued', name: null, started_at: null, ...more } as never });
const sweep = (id: number, more: object): Line => ({ kind: 'sweep', id, sweep: { id, priority: 50, name: null, counts: {}, ...more } as unknown as Sweep });
const ids = (lines: Line[]) => lines.map(keyOf);

test('rows and sweeps are ordered together', () => {
  const lines = [job(1, { priority: 10 }), sweep(2, { priority: 90 }), job(9, { priority: 50 })];
  expect(ids(ordered(lines, 'priority', true))).toEqual(['s2', '9', '1']);
  expect(ids(ordered(lines, 'id', true))).toEqual(['9', 's2', '1']);
});
test('what has no value is last in both directions', () => {
  const lines = [job(1, {}), job(2, { started_at: '2026-01-02' }), job(3, { started_at: '2026-01-01' })];
  expect(ids(ordered(lines, 'started_at', false))).toEqual(['3', '2', '1']);
  expect(ids(ordered(lines, 'started_at', true))).toEqual(['2', '3', '1']);
});
test('a sweep stands where its liveliest job would', () => {
  const lines = [job(1, { state: 'failed' }), sweep(2, { counts: { running: 1, completed: 4 } }), job(3, { state: 'queued' })];
  expect(ids(ordered(lines, 'state', false))).toEqual(['3', 's2', '1']);
});
test('only what would stand among the loaded lines is a change of them', () => {
  const lines = [job(9, {}), job(8, {})];
  const row = (id: number) => ({ id, priority: 50, state: 'queued' }) as JobRow;
  expect(withinLoaded(row(10), lines, 'id', true)).toBe(true);
  expect(withinLoaded(row(3), lines, 'id', true)).toBe(false);
  expect(withinLoaded(row(3), [], 'id', true)).toBe(true);
});
