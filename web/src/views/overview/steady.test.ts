import { describe, expect, it } from 'vitest';
import { changesBetween } from './steady';

describe('what changed in a list', () => {
  it('counts who came, who went and who moved', () => {
    expect(changesBetween(['a', 'b', 'c'], ['a', 'b', 'c'])).toBe(0);
    expect(changesBetween(['a', 'b', 'c'], ['b', 'c'])).toBe(1);
    expect(changesBetween(['a', 'b', 'c'], ['a', 'b', 'c', 'd'])).toBe(1);
    expect(changesBetween(['a', 'b', 'c'], ['c', 'a', 'b'])).toBe(1);
    expect(changesBetween(['a', 'b', 'c'], ['d', 'c', 'b'])).toBe(3);
  });
});
