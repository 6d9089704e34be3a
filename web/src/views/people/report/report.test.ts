import '../../../testing/browser';
import { afterEach, describe, expect, it } from 'vitest';
import { setLanguage } from '../../../words/words';
import { queryOf, readAsked } from './Period';
import { dayName, energy, gpuHours, money } from './figures';
import { type Row, everyDay, failuresByCause, fold, hoursHere, inOrder, matrixOf, nameOfRow } from './fold';

const row = (given: Partial<Row>): Row => ({ jobs: 1, running: 0, moves: 0, aside_seconds: 0, gpu_seconds: 0, ...given });
afterEach(() => setLanguage('en'));

describe('rows', () => {
  it('are folded only where that saves something', () => {
    expect(fold([1, 2, 3, 4], 3)).toEqual({ shown: [1, 2, 3, 4], rest: [] });
    expect(fold([1, 2, 3, 4, 5], 3)).toEqual({ shown: [1, 2, 3], rest: [4, 5] });
  });
  it('stand by what they used, those of others last; cards by their numbers', () => {
    const rows = [row({ user: 'a', gpu_seconds: 1 }), row({ others: true, gpu_seconds: 9 }), row({ user: 'b', gpu_seconds: 5 })];
    expect(inOrder(rows, 'user').map((one) => one.user)).toEqual(['b', 'a', undefined]);
    const cards = [row({ card: null, gpu_seconds: 9 }), row({ card: 1 }), row({ card: 0 })];
    expect(inOrder(cards, 'card').map((one) => one.card)).toEqual([0, 1, null]);
  });
  it('have names, or none', () => {
    expect(nameOfRow(row({ user: 'ml1' }), 'user')).toBe('ml1');
    expect(nameOfRow(row({ project: '' }), 'project')).toBeNull();
    expect(nameOfRow(row({ card: 0 }), 'card')).toBe('0');
  });
  it('add up failures of one cause', () => {
    const rows = [row({ failures: [{ cause: 'exit', attempts: 1 }] }), row({ failures: [{ cause: 'cuda_oom', attempts: 3 }, { cause: 'exit', attempts: 1 }] })];
    expect(failuresByCause(rows)).toEqual([{ cause: 'cuda_oom', attempts: 3 }, { cause: 'exit', attempts: 2 }]);
  });
});

describe('who waited for whom', () => {
  it('is a matrix, the longest first', () => {
    const matrix = matrixOf([{ tenant: 'a', holder: 'b', seconds: 10 }, { tenant: 'c', holder: 'b', seconds: 30 }, { tenant: 'c', holder: '', seconds: 5 }]);
    expect(matrix).toEqual({ waiters: ['c', 'a'], holders: ['b', ''], seconds: [[30, 5], [10, 0]], most: 30, folded: 0 });
  });
  it('is bounded', () => {
    const matrix = matrixOf(Array.from({ length: 20 }, (_, index) => ({ tenant: `t${index}`, holder: 'h', seconds: index + 1 })));
    expect(matrix.waiters).toHaveLength(8);
    expect(matrix.waiters[0]).toBe('t19');
    expect(matrix.folded).toBe(12);
  });
});

describe('time', () => {
  it('of a day is the reader’s', () => {
    const utc = Array.from({ length: 24 }, (_, hour) => hour);
    expect(hoursHere(utc, 0)[5]).toBe(5);
    expect(hoursHere(utc, 8 * 60)[9]).toBe(1);
    expect(hoursHere(utc, -5 * 60)[20]).toBe(1);
  });
  it('has a place for every day', () => {
    const days = everyDay([{ day: '2026-11-02', jobs: 1, gpu_seconds: 7200, waited_seconds: 0, failures: 0 }], '2026-11-01T00:00:00.000Z', '2026-11-03T10:00:00.000Z');
    expect(days).toEqual([{ day: '2026-11-01', gpuHours: 0 }, { day: '2026-11-02', gpuHours: 2 }, { day: '2026-11-03', gpuHours: 0 }]);
  });
  it('is asked as it stands in the address', () => {
    expect(readAsked(new URLSearchParams('since=2026-11-01&until=2026-11-08&by=tenant'))).toEqual({ since: '2026-11-01', until: '2026-11-08', by: 'tenant' });
    expect(readAsked(new URLSearchParams('since=<x>&by=hour'))).toEqual({ since: '7d', until: '', by: 'user' });
    expect(queryOf({ since: '2026-11-01', until: '', by: 'user' })).toEqual({ since: '2026-11-01T00:00:00Z', by: 'user' });
  });
});

describe('figures of a report', () => {
  it('have as many digits as they are worth', () => {
    expect([gpuHours(3600 * 1234.6), gpuHours(3600 * 12.34), gpuHours(3600 * 0.123), gpuHours(undefined)]).toEqual(['1,235', '12.3', '0.12', '–']);
    expect([energy(3_600_000 * 2.5), energy(3600 * 12)]).toEqual(['2.5 kWh', '12 Wh']);
  });
  it('are written as the reader writes', () => {
    expect(money(12.5, 'EUR')).toBe('€12.50');
    expect(money(12.5, 'credits')).toBe('12.50 credits');
    expect(dayName('2026-11-03')).toBe('3 Nov');
    setLanguage('zh');
    expect(dayName('2026-11-03')).toBe('11月3日');
  });
});
