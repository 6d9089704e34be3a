import { describe, expect, test } from 'vitest';
import { LogWindow } from './window';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (log: LogWindow) => Array.from({ length: log.lines }, (_, i) => log.text(i));

describe('a window into a log', () => {
  test('pieces that end anywhere make whole lines', () => {
    const log = new LogWindow();
    log.append(bytes('one\ntw'), 0);
    expect(texts(log)).toEqual(['one', 'tw']);
    log.append(bytes('o\nthr'), 6);
    log.append(bytes('ee\n'), 11);
    expect(texts(log)).toEqual(['one', 'two', 'three']);
    expect([log.from, log.to]).toEqual([0, 14]);
    expect([0, 1, 2].map((i) => log.number(i))).toEqual([1, 2, 3]);
    expect(log.offset(2)).toBe(8);
  });
  test('a character in two pieces is one', () => {
    const log = new LogWindow();
    const whole = bytes('显卡\n');
    log.append(whole.subarray(0, 2), 0);
    log.append(whole.subarray(2), 2);
    expect(texts(log)).toEqual(['显卡']);
  });
  test('no byte is taken twice, and none is lost', () => {
    const log = new LogWindow();
    log.append(bytes('abc\nde'), 10);
    log.append(bytes('c\ndef\n'), 12);
    expect(texts(log)).toEqual(['abc', 'def']);
    log.append(bytes('abc'), 10);
    expect(log.to).toBe(18);
  });
  test('what is put before joins the line that began in the middle', () => {
    const log = new LogWindow();
    log.append(bytes('lo\nworld\n'), 3);
    expect(log.number(0)).toBe(null);
    log.prepend(bytes('hel'), 0);
    expect(texts(log)).toEqual(['hello', 'world']);
    expect(log.number(1)).toBe(2);
    log.prepend(bytes('xhel'), 0);
    expect(log.from).toBe(0);
  });
  test('it forgets in front when it follows, and keeps numbers and offsets', () => {
    const log = new LogWindow(1000);
    let at = 0;
    for (let i = 1; i <= 300; i += 1) {
      const line = bytes(`line ${i}\n`);
      log.append(line, at);
      at += line.length;
    }
    expect(log.size).toBeLessThanOrEqual(1000);
    expect(log.text(log.lines - 1)).toBe('line 300');
    expect(log.number(log.lines - 1)).toBe(300);
    expect(log.text(0)).toBe(`line ${log.number(0)}`);
    expect(log.to).toBe(at);
    expect(log.from).toBe(at - log.size);
  });
  test('it forgets at the end when it goes back', () => {
    const log = new LogWindow(1000);
    log.append(bytes('z\n'.repeat(450)), 900);
    log.prepend(bytes('a\n'.repeat(450)), 0);
    expect(log.size).toBeLessThanOrEqual(1000);
    expect([log.from, log.text(0), log.number(0)]).toEqual([0, 'a', 1]);
  });
  test('a hole in the middle keeps offsets right and line numbers unknown', () => {
    const log = new LogWindow();
    log.append(bytes('begin\n'), 0);
    log.append(bytes('end\nmore\n'), 1000);
    expect(texts(log)).toEqual(['begin', 'end', 'more']);
    expect([log.offset(0), log.offset(1), log.offset(2), log.to]).toEqual([0, 1000, 1004, 1009]);
    expect(log.number(0)).toBe(null);
    expect(log.lineAt(1002)).toBe(1);
    expect(log.lineAt(500)).toBe(0);
  });
  test('a line without an end becomes rows; one with carriage returns stays one', () => {
    const log = new LogWindow();
    log.append(bytes('x'.repeat(40_000)), 0);
    expect(log.lines).toBe(3);
    expect(log.number(2)).toBe(1);
    const bar = new LogWindow();
    bar.append(bytes('50 %\r'.repeat(8000)), 0);
    expect(bar.lines).toBe(1);
  });
  test('lines are found by any of their bytes', () => {
    const log = new LogWindow();
    log.append(bytes('a\nbcd\ne\n'), 100);
    expect([100, 101, 102, 105, 106].map((at) => log.lineAt(at))).toEqual([0, 0, 1, 1, 2]);
    expect(log.has(99)).toBe(false);
    expect(log.has(107)).toBe(true);
    expect(log.has(108)).toBe(false);
  });
});
