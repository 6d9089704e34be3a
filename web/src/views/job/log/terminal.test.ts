import { expect, test } from 'vitest';
import { plainOf, runsOfLine } from './terminal';

const kEsc = '\x1b';

test('plain lines stay as they are', () => {
  expect(runsOfLine('epoch 3: <img src=x onerror=alert(1)>')).toEqual([{ text: 'epoch 3: <img src=x onerror=alert(1)>', style: null }]);
  expect(runsOfLine('')).toEqual([]);
});
test('colours are data', () => {
  const runs = runsOfLine(`${kEsc}[31mred${kEsc}[0m and ${kEsc}[1;38;5;208morange${kEsc}[0m`);
  expect(runs.map((run) => run.text)).toEqual(['red', ' and ', 'orange']);
  expect(runs[0]?.style?.fg).toMatch(/^\d+, \d+, \d+$/);
  expect(runs[1]?.style).toBe(null);
  expect(runs[2]?.style).toMatchObject({ bold: true, fg: '255, 135, 0' });
});
test('other escapes are dropped, whatever they say', () => {
  expect(plainOf(`a${kEsc}[2J${kEsc}[10;20Hb${kEsc}]0;title\x07c${kEsc}]8;;http://x${kEsc}\\d${kEsc}(Be${kEsc}P1$r${kEsc}\\f`)).toBe('abcdef');
  expect(plainOf(`a${kEsc}[?25lb${kEsc}`)).toBe('ab');
  expect(plainOf('a\x00\x07b\x9bc')).toBe('abc');
});
test('a carriage return writes over the line', () => {
  expect(plainOf('10 %\r20 %\r100 %')).toBe('100 %');
  expect(plainOf('longer text\rshort')).toBe('short' + 'r text');
  expect(plainOf(`longer text\r${kEsc}[Kshort`)).toBe('short');
  expect(plainOf('100 %\r')).toBe('100 %');
  expect(plainOf('done\r\r')).toBe('done');
});
test('thousands of turns of a progress bar cost little', () => {
  const bar = Array.from({ length: 50_000 }, (_, i) => `step ${i}`).join('\r');
  expect(plainOf(bar)).toBe('step 49999');
});
test('backspaces and tabs', () => {
  expect(plainOf('|\b/\b-')).toBe('-');
  expect(plainOf('ab\tc')).toBe('ab      c');
});
test('marks that turn the direction round are shown as odd', () => {
  expect(plainOf('user \u202egnp.exe')).toBe('user \ufffdgnp.exe');
});
