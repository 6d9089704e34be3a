import { expect, test } from 'vitest';
import { afterOf, bodyOf, fieldOf, gpusOf, priorityOf, runsInShell } from './body';
import { type Draft, kEmpty } from './draft';

const faults = (more: Partial<Draft>) => bodyOf({ ...kEmpty, command: 'x', cwd: '/d', ...more }).faults;

test('what cannot be read stands at its field', () => {
  expect(bodyOf(kEmpty).faults).toEqual({ command: 'needed', cwd: 'needed' });
  expect(faults({ cwd: 'data' })).toEqual({ cwd: 'path' });
  expect(faults({ vram: '8' })).toEqual({ vram: 'smallSize' });
  expect(faults({ vram: 'eight' })).toEqual({ vram: 'size' });
  expect(faults({ time: '1.5h', priority: '101', share: '120', gpus: '4-2' })).toEqual({ time: 'duration', priority: 'priority', share: 'percent', gpus: 'cards' });
  expect(faults({ after: 'seven', signal: 'NOPE', checkpoint: 'USR1@x', env: 'PATH' })).toEqual({ after: 'after', signal: 'signal', checkpoint: 'checkpoint', env: 'env' });
  expect(faults({ params: 'lr', array: '1-', begin: 'soon' })).toEqual({ params: 'param-form', array: 'array', begin: 'moment' });
  expect(faults({ params: 'lr=1', array: '1-3' })).toEqual({ array: 'both' });
  expect(faults({ command: "a 'b", shell: 'no' })).toEqual({ command: 'quote' });
});
test('small words', () => {
  expect([gpusOf('2'), gpusOf('0'), gpusOf('x')]).toEqual([2, 0, undefined]);
  expect([priorityOf('urgent'), priorityOf('7'), priorityOf('x')]).toEqual([90, 7, null]);
  expect(afterOf('7:any, 8')).toEqual([{ job: 7, kind: 'any' }, { job: 8, kind: 'ok' }]);
  expect(runsInShell({ ...kEmpty, command: 'a && b' })).toBe(true);
  expect(runsInShell({ ...kEmpty, command: 'a && b', shell: 'no' })).toBe(false);
});
test('sentences of the daemon find their field', () => {
  expect(fieldOf('priority must be from 0 to 100')).toBe('priority');
  expect(fieldOf('working_directory is missing')).toBe('cwd');
  expect(fieldOf('vram_limit_bytes must be …')).toBe('vramLimit');
  expect(fieldOf('after: there is no job 99')).toBe('after');
  const said: [string, string][] = [
    ['no card can ever hold 90.0 GiB; the largest card here is number 0', 'vram'],
    ["the job needs 9 card(s), but only 8 of this machine's 8 card(s) can ever satisfy it", 'gpus'],
    ["the job needs 1 card(s) of type 'zz', but only 0 …", 'cardType'],
    ['the job needs 900 CPUs, but this machine has 64', 'cpus'],
    ['the job needs 83819.0 GiB of host RAM, but this machine has 23.5 GiB', 'ram'],
    ["no card here has the alias or tag 'zz'", 'onlyCards'],
    ['there is no job 9999 to wait for', 'after'],
    ["nobody can be notified at 'ops': none is open to users here", 'notify'],
    ['jobs 0 and 1 of the sweep would both write to /tmp/x', 'output'],
    ['the deadline is in the past', 'deadline'],
  ];
  for (const [sentence, field] of said) expect(fieldOf(sentence), sentence).toBe(field);
  expect(fieldOf('something else')).toBe(null);
});
