import { describe, expect, it } from 'vitest';
import { around, asked, containing, kDay, kHour, kMinute, moved, readRange, readTime, ticksOf, usual, writeTime, zoomed } from './range';

const now = Date.parse('2026-01-15T12:00:00Z');

describe('the stretch of time that is shown', () => {
  it('is read from the address', () => {
    expect(readTime('24h', now)).toBe(now - kDay);
    expect(readTime('+6h', now)).toBe(now + 6 * kHour);
    // A plus sign in an address is a space.
    expect(readTime(' 6h', now)).toBe(now + 6 * kHour);
    expect(readTime('2026-01-15T03:00:00Z', now)).toBe(now - 9 * kHour);
    expect(readTime('yesterday', now)).toBeNull();
    expect(readTime(writeTime(now), now)).toBe(now);
    expect(readRange('24h', '+6h', now)).toEqual(usual(now));
    expect(readRange(null, null, now)).toBeNull();
    expect(readRange('+6h', '24h', now)).toBeNull();
  });
  it('shows a day, and less of a machine that is known for less', () => {
    expect(usual(now).until - usual(now).from).toBe(30 * kHour);
    expect(usual(now, now - 4 * kHour).from).toBeCloseTo(now - 4.2 * kHour);
    expect(usual(now, now - kMinute).from).toBe(now - kHour);
    expect(usual(now, now - 30 * kDay)).toEqual(usual(now));
  });
  it('is stretched around a moment, which stays where it is', () => {
    const range = usual(now);
    const at = now - kHour;
    const near = zoomed(range, 0.5, at);
    expect(near.until - near.from).toBe((range.until - range.from) / 2);
    expect((at - near.from) / (near.until - near.from)).toBeCloseTo((at - range.from) / (range.until - range.from));
    expect(zoomed(range, 1e-9, at).until - zoomed(range, 1e-9, at).from).toBe(2 * kMinute);
    expect(zoomed(range, 1e9, at).until - zoomed(range, 1e9, at).from).toBe(60 * kDay);
  });
  it('follows the scrubber, and moves no more than it must', () => {
    const range = around(now, 6 * kHour);
    expect(containing(range, now)).toBe(range);
    const far = containing(range, now - kDay);
    expect(far.from).toBeLessThan(now - kDay);
    expect(far.until - far.from).toBe(6 * kHour);
    expect(moved(range, kHour).from).toBe(range.from + kHour);
  });
  it('is asked for in steps that hold still while one pans', () => {
    const range = usual(now);
    expect(asked(range)).toEqual(asked(moved(range, kMinute)));
    expect(asked(range).from).toBeLessThanOrEqual(range.from);
    expect(asked(range).until).toBeGreaterThanOrEqual(range.until);
  });
  it('has marks at round times, no more than there is room for', () => {
    for (const span of [2 * kMinute, kHour, 6 * kHour, kDay, 7 * kDay, 60 * kDay]) {
      const ticks = ticksOf(around(now, span), 900);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(12);
    }
    const hours = ticksOf({ from: now, until: now + 6 * kHour }, 900);
    expect(hours.every((tick) => new Date(tick.at).getMinutes() === 0)).toBe(true);
  });
});
