import { expect, test } from 'vitest';
import { Rows, cut, marked } from './rows';
import { LogWindow } from './window';

const bytes = (text: string) => new TextEncoder().encode(text);
const log = (text: string) => {
  const window = new LogWindow();
  window.append(bytes(text), 0);
  return window;
};
const texts = (rows: Rows) => Array.from({ length: rows.count }, (_, i) => rows.at(i).runs.map((run) => run.text).join(''));

test('without wrapping a line is a row', () => {
  expect(texts(new Rows(log('one\ntwo\n'), null))).toEqual(['one', 'two']);
});
test('with wrapping every row has its place without being drawn', () => {
  const rows = new Rows(log('abcdefgh\n\nij\n显卡显存\n'), 3);
  expect(texts(rows)).toEqual(['abc', 'def', 'gh', '', 'ij', '显', '卡', '显', '存']);
  expect(rows.rowOf(2)).toBe(4);
  expect([0, 2, 3, 4, 8].map((row) => rows.lineOf(row))).toEqual([0, 0, 1, 2, 3]);
  expect([rows.at(1).first, rows.at(3).first]).toEqual([false, true]);
});
test('colours go on in the next row', () => {
  const style = { fg: '1, 2, 3' } as never;
  expect(cut([{ text: 'ab', style: null }, { text: 'cdef', style }], 3)).toEqual([
    [{ text: 'ab', style: null }, { text: 'c', style }],
    [{ text: 'def', style }],
  ]);
});
test('what is looked for is marked, also across colours', () => {
  const style = { fg: '1, 2, 3' } as never;
  const runs = marked([{ text: 'Loss = ', style: null }, { text: 'loss', style }, { text: ' x', style: null }], 'loss');
  expect(runs.map((run) => [run.text, run.hit])).toEqual([['Loss', true], [' = ', false], ['loss', true], [' x', false]]);
  const across = marked([{ text: 'lo', style: null }, { text: 'ss!', style }], 'LOSS');
  expect(across.map((run) => [run.text, run.hit])).toEqual([['lo', true], ['ss', true], ['!', false]]);
});
