import { describe, expect, it } from 'vitest';
import { stretches } from './LastHour';

describe('a small curve', () => {
  it('has a gap where nothing is known, never a zero', () => {
    const lines = stretches([50, 50, null, null, 100], 0, 100);
    expect(lines.length).toBe(2);
    expect(lines[0]?.length).toBe(2);
    expect(lines[1]?.[0]?.[1]).toBe(2);
  });
  it('is nothing where nothing is known at all', () => {
    expect(stretches([null, null], 0, 100)).toEqual([]);
    expect(stretches([], 0, 100)).toEqual([]);
  });
});
