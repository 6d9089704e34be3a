import { expect, test } from 'vitest';
import { countOf, parameterOf, parametersOf, tasksOf } from './params';

const values = (text: string) => {
  const parameter = parameterOf(`p=${text}`);
  return typeof parameter === 'string' ? parameter : parameter.values;
};

test('lists and ranges, exact in decimals', () => {
  expect(values('0.1,0.01')).toEqual(['0.1', '0.01']);
  expect(values('1:5')).toEqual(['1', '2', '3', '4', '5']);
  expect(values('0:1:0.1')).toEqual(['0.0', '0.1', '0.2', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8', '0.9', '1.0']);
  expect(values('1e-5:4e-5:1e-5')).toEqual(['1e-5', '2e-5', '3e-5', '4e-5']);
  expect(values('5:1:-2')).toEqual(['5', '3', '1']);
  expect(values('1,3:4,x')).toEqual(['1', '3', '4', 'x']);
  expect(values('-1:1')).toEqual(['-1', '0', '1']);
});
test('a backslash makes commas and colons ordinary', () => {
  expect(values('a\\,b,c\\:d')).toEqual(['a,b', 'c:d']);
  expect(values('host:8080')).toEqual(['host:8080']);
});
test('what makes no sense is named', () => {
  expect(parameterOf('lr')).toBe('form');
  expect(parameterOf('l r=1')).toBe('form');
  expect(values('')).toBe('values');
  expect(values('1:5:0')).toBe('step');
  expect(values('1:5:-1')).toBe('empty');
  expect(values('1:1000000')).toBe('many');
  expect(parametersOf('a=1\na=2')).toBe('twice');
  expect(parametersOf('a=1:1000\nb=1:1000')).toBe('many');
});
test('all combinations, the last parameter fastest', () => {
  const parameters = parametersOf('lr=0.1,0.01\n\nseed=1:5');
  if (typeof parameters === 'string') throw new Error(parameters);
  expect(countOf(parameters)).toBe(10);
  expect(tasksOf(parameters, 3).map((one) => one.values)).toEqual([{ lr: '0.1', seed: '1' }, { lr: '0.1', seed: '2' }, { lr: '0.1', seed: '3' }]);
  expect(tasksOf(parameters)[9]?.values).toEqual({ lr: '0.01', seed: '5' });
});
