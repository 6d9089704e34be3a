import '../testing/browser';
import { afterEach, describe, expect, it } from 'vitest';
import { amount, bytes, duration, durationFine, moment, momentExact, percent, secondsSince, secondsUntil } from './figures';
import { setLanguage } from './words';

afterEach(() => setLanguage('en'));

describe('sizes', () => {
  it('are in powers of 1024, with as many digits as they are worth', () => {
    expect([0, 1023, 1024, 1536, 600 * 2 ** 20, 24 * 2 ** 30, 3 * 2 ** 40].map((one) => bytes(one))).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '600 MiB', '24.0 GiB', '3.0 TiB']);
  });
  it('that nobody knows are not zero', () => {
    expect([bytes(null), bytes(undefined), percent(null), duration(undefined), moment(null), momentExact(null)]).toEqual(['–', '–', '–', '–', '–', '–']);
    expect(duration(Number.NaN)).toBe('–');
  });
});

describe('durations', () => {
  const seconds = [0, 59.4, 59.6, 90, 3569, 3599, 3600, 3 * 3600 + 5 * 60, 86_399, 86_400, 2 * 86_400 + 4 * 3600, 14 * 86_400];
  it('have two units at most', () => {
    expect(seconds.map((one) => duration(one))).toEqual(['0 s', '59 s', '1 min', '2 min', '59 min', '1 h', '1 h', '3 h 5 min', '1 d', '1 d', '2 d 4 h', '14 d']);
  });
  it('are Chinese, too', () => {
    setLanguage('zh');
    expect([42, 540, 11_100, 187_200].map((one) => duration(one))).toEqual(['42 秒', '9 分钟', '3 小时 5 分钟', '2 天 4 小时']);
  });
  it('are exact where a minute matters', () => {
    expect([42, 60, 102, 599.4, 600, 3700].map((one) => durationFine(one))).toEqual(['42 s', '1 min', '1 min 42 s', '9 min 59 s', '10 min', '1 h 2 min']);
    expect(durationFine(null)).toBe('–');
    setLanguage('zh');
    expect(durationFine(102)).toBe('1 分 42 秒');
  });
  it('are never less than nothing', () => {
    expect(duration(-5)).toBe('0 s');
  });
});

describe('times', () => {
  const noon = new Date();
  noon.setHours(12, 34, 56, 0);
  it('of today are short, others have their day', () => {
    expect(moment(noon.toISOString())).toBe('12:34');
    expect(moment('2020-03-05T12:00:00Z')).toMatch(/^5 Mar 2020.*\d{2}:\d{2}$/);
    setLanguage('zh');
    expect(moment(noon.getTime())).toBe('12:34');
    expect(moment('2020-03-05T12:00:00Z')).toMatch(/^2020年3月5日.*\d{2}:\d{2}$/);
  });
  it('of other years say which', () => {
    expect(momentExact('2020-03-05T12:00:00Z')).toContain('2020');
  });
  it('are counted from now', () => {
    const now = Date.parse('2026-11-18T12:00:00Z');
    expect(secondsSince('2026-11-18T11:59:00Z', now)).toBe(60);
    expect(secondsSince('2026-11-18T12:01:00Z', now)).toBe(0);
    expect(secondsUntil('2026-11-18T12:01:00Z', now)).toBe(60);
    expect(secondsSince(null)).toBeNull();
  });
});

describe('amounts', () => {
  it('have groups of three digits', () => {
    expect(amount(10_000)).toBe('10,000');
    setLanguage('zh');
    expect(amount(10_000)).toBe('10,000');
  });
  it('in percent are whole', () => {
    expect(percent(42.4)).toBe('42 %');
  });
});
