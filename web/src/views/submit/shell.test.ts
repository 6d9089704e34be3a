import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { needsShell, quoted, splitWords } from './shell';

const kWords = ['plain', '--lr=0.1', '', "it's", 'two words', '$HOME', '`x`', '"', '\\', "'", 'a\nb', '{lr}', '*', '~', '#no', '!x', '显存', "'';rm -rf /"];

test('a shell reads quoted words back', () => {
  const said = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${kWords.map(quoted).join(' ')}`]).toString();
  expect(said.split('\0').slice(0, -1)).toEqual(kWords);
});
test('words that need no quotes have none', () => {
  expect(['train.py', '--lr=0.1', 'a,b:c@d%e+f'].map(quoted)).toEqual(['train.py', '--lr=0.1', 'a,b:c@d%e+f']);
  expect(quoted('')).toBe("''");
});
test('lines are cut as a shell cuts them', () => {
  expect(splitWords(kWords.map(quoted).join(' '))).toEqual(kWords);
  expect(splitWords('a  "b c" d\\ e "x\\"y\\n" \'\'')).toEqual(['a', 'b c', 'd e', 'x"y\\n', '']);
  expect(splitWords('')).toEqual([]);
  expect(splitWords("a 'b")).toBe('quote');
  expect(splitWords('a \\')).toBe('backslash');
});
test('what only a shell understands is noticed', () => {
  for (const line of ['a | b', 'cd x && y', 'echo $HOME', 'echo "$X"', 'LR=1 python t.py', 'a > b', 'ls *', 'source env', 'a\nb']) expect(needsShell(line), line).toBe(true);
  for (const line of ['python train.py --lr {lr}', "echo 'a | b'", 'echo \\$x', 'x --a=b']) expect(needsShell(line), line).toBe(false);
});
