import { expect, test } from 'vitest';
import { axisOf, kindOf } from './scale';

test('which axis suits the values', () => {
  expect(kindOf([1, 2, 5])).toBe('linear');
  expect(kindOf([0.1, 0.01, 0.0001])).toBe('log');
  expect(kindOf([0, 0.01, 100])).toBe('linear');
  expect(kindOf([1, 'adam'])).toBe('words');
  expect(kindOf([null])).toBe('words');
});
test('numbers have places and round ticks', () => {
  const axis = axisOf([0, 10], 'linear');
  expect(axis.ticks.map((one) => one.value)).toEqual([0, 5, 10]);
  expect(axis.place(5)).toBeCloseTo(0.5);
  expect(axis.place('x')).toBe(null);
  expect(axis.place(NaN)).toBe(null);
});
test('powers of ten', () => {
  const axis = axisOf([0.001, 1], 'log');
  expect(axis.ticks.map((one) => one.value)).toEqual([0.001, 0.01, 0.1, 1]);
  expect(axis.place(0)).toBe(null);
});
test('words stand side by side, numbers among them in their order', () => {
  const axis = axisOf(['sgd', 'adam', 'adam', null], 'words');
  expect(axis.ticks.map((one) => one.value)).toEqual(['adam', 'sgd']);
  expect(axis.place('adam')).toBe(0.25);
  expect(axisOf([10, 9], 'words').ticks.map((one) => one.value)).toEqual(['9', '10']);
});
test('one value alone still has an axis', () => {
  expect(axisOf([3], 'linear').place(3)).toBeCloseTo(0.5);
  expect(axisOf([], 'linear').ticks.length).toBeGreaterThan(1);
});
