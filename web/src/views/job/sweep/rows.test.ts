import { expect, test } from 'vitest';
import { type SweepRow, columnsOf, figure, numberOf, sorted, valueOf, valuesSaid } from './rows';

const row = (id: number, more: Partial<SweepRow>): SweepRow => ({ id, state: 'completed', values: {}, said: null, progress: null, started_at: null, ended_at: null, exit_code: 0, signal: null, cause: null, array: 1, array_index: null, ...more });

test('values are found in what jobs say', () => {
  expect([...valuesSaid('loss=0.13 acc=91.5%')]).toEqual([['loss', 0.13], ['acc', 91.5]]);
  expect([...valuesSaid('epoch 3, val/loss: 1e-3; best=no')]).toEqual([['val/loss', 0.001], ['best', 'no']]);
  expect([...valuesSaid('just words')]).toEqual([]);
  expect([...valuesSaid(null)]).toEqual([]);
  expect([...valuesSaid('loss=nan x=<b>')]).toEqual([['loss', 'nan'], ['x', '<b>']]);
});
test('numbers as programs write them', () => {
  expect(['1', '-0.5', '.5', '1e-5', '3.', '+2'].map(numberOf)).toEqual([1, -0.5, 0.5, 1e-5, 3, 2]);
  expect(['', 'adam', '1-2', '0x10', 'e5'].map(numberOf)).toEqual([null, null, null, null, null]);
});
test('columns are the parameters, what was said, and what is known', () => {
  const rows = [row(1, { said: 'loss=1', values: { lr: '0.1' } }), row(2, { said: 'acc=2 loss=3' })];
  expect(columnsOf(rows, ['lr']).map((one) => one.key)).toEqual(['p:lr', 's:loss', 's:acc', 'duration', 'peak']);
  expect(columnsOf([row(1, { array_index: 4, progress: { step: 1, total: 2 } })], []).map((one) => one.key)).toEqual(['index', 'duration', 'peak', 'step']);
});
test('numbers are sorted as numbers, absent ones come last', () => {
  const rows = [row(1, { values: { n: '10' } }), row(2, { values: { n: '9' } }), row(3, {}), row(4, { values: { n: 'x' } })];
  expect(sorted(rows, 'p:n', false, 0).map((one) => one.id)).toEqual([2, 1, 4, 3]);
  expect(sorted(rows, 'p:n', true, 0).map((one) => one.id)).toEqual([1, 2, 4, 3]);
});
test('failures come first', () => {
  const rows = [row(1, {}), row(2, { state: 'queued' }), row(3, { state: 'failed' }), row(4, { state: 'running' })];
  expect(sorted(rows, 'state', false, 0).map((one) => one.id)).toEqual([3, 4, 2, 1]);
});
test('a duration goes on while a job runs', () => {
  expect(valueOf(row(1, { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:01:00Z' }), 'duration', 0)).toBe(60);
  expect(valueOf(row(1, { started_at: '2026-01-01T00:00:00Z' }), 'duration', Date.parse('2026-01-01T00:00:05Z'))).toBe(5);
});
test('figures are short', () => {
  expect([0.1 + 0.2, 1e-5, 12, 123456.789, 2.5e7].map(figure)).toEqual(['0.3', '1e-5', '12', '123500', '25000000']);
});
