import { expect, test } from 'vitest';
import { selectorOf, statesOf } from './jobs';

test('neighbours become ranges', () => {
  expect(selectorOf([9, 7, 8, 12, 7])).toBe('7-9,12');
  expect(selectorOf([3])).toBe('3');
  expect(selectorOf([])).toBe('');
});
test('words of a filter mean several states', () => {
  expect([...statesOf('waiting,failed')]).toEqual(['held', 'queued', 'failed']);
  expect(statesOf('nonsense').size).toBe(0);
});
