import { expect, test } from 'vitest';
import { durationText, parseDuration, parseSize, sizeText } from './amounts';

test('sizes as the command line reads them', () => {
  expect(parseSize('8G')).toBe(8 * 2 ** 30);
  expect(parseSize('1.5 GiB')).toBe(1.5 * 2 ** 30);
  expect(parseSize('512m')).toBe(512 * 2 ** 20);
  expect(parseSize('0')).toBe(0);
  for (const bad of ['', 'G', '-1G', '8X', '1,5G']) expect(parseSize(bad), bad).toBe(null);
});
test('sizes are written so that they are read back', () => {
  for (const bytes of [8 * 2 ** 30, 1.5 * 2 ** 30, 512 * 2 ** 20, 2 ** 40, 123_456_789]) expect(parseSize(sizeText(bytes))).toBe(bytes);
  expect(sizeText(8 * 2 ** 30)).toBe('8G');
});
test('durations as the command line reads them', () => {
  const same: [string, number][] = [['90', 90], ['90s', 90], ['15m', 900], ['1h30m', 5400], ['1h 30m', 5400], ['2d', 172_800], ['1w', 604_800], ['01:30:00', 5400], ['100:00:00', 360_000], ['02:30', 150], ['0', 0], ['1-00:00:00', 86_400], ['2-03:04:05', 183_845], ['1-12', 129_600]];
  for (const [text, seconds] of same) expect(parseDuration(text), text).toBe(seconds);
  for (const bad of ['', 'h', '-5', '1h30', '30m1h', '5m5m', '1.5h', '1:2:3:4', '1:60', ':30', '10x', '1h30m junk', '1-', '1-24', '1-2:60', '1-2x']) expect(parseDuration(bad), bad).toBe(null);
});
test('durations are written so that they are read back', () => {
  for (const seconds of [0, 59, 90, 3600, 5400, 86_400, 90_061]) expect(parseDuration(durationText(seconds))).toBe(seconds);
  expect(durationText(5400)).toBe('90m');
});
