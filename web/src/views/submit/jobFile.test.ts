import { expect, test } from 'vitest';
import { FileFault, readFile } from './jobFile';
import { parseYaml } from './yaml';

test('the job file of the documentation', () => {
  const { draft, left } = readFile(`command: [python, train.py, --lr, "{lr}"]
gpus: 1-4
vram: 8G
exclusive: false
tag: [paper, night]   # for the report
env: {OMP_NUM_THREADS: 4}
param:
  lr: [0.1, 0.01]
  seed: "1:5"
`);
  expect(left).toEqual([]);
  expect(draft).toMatchObject({ command: "python train.py --lr '{lr}'", shell: 'no', gpus: '1-4', vram: '8G', exclusive: false, tags: 'paper,night', params: 'lr=0.1,0.01\nseed=1:5' });
  expect(draft.env.split('\n').pop()).toBe('OMP_NUM_THREADS=4');
});
test('the same as JSON, and lists in lines of their own', () => {
  expect(readFile('{"command": "cd x && y", "gpus": 2, "hold": true, "param": {"a": ["x,y", 1]}}').draft).toMatchObject({ command: 'cd x && y', shell: 'yes', gpus: '2', hold: true, params: 'a=x\\,y,1' });
  expect(readFile('command: |\n  cd x  # there\n  run "$A: b"\ntag:\n- a\n- b\nretries: 2:exit,signal\ncheckpoint: true').draft).toMatchObject({ command: 'cd x  # there\nrun "$A: b"', tags: 'a,b', retries: '2', retryOn: 'exit,signal', checkpoint: 'USR1@60' });
});
test('a script with directives goes along whole', () => {
  const { draft, left } = readFile("#!/bin/bash\n#GPUSCHED --gpus 2 --vram=8G --exclusive\n#GPUSCHED --name 'first try' --time 4h --each-line x\nset -e\npython train.py \"$@\"\n#GPUSCHED --gpus 7\n");
  expect(draft).toMatchObject({ gpus: '2', vram: '8G', exclusive: true, name: 'first try', time: '4h', shellProgram: '/bin/bash', shell: 'yes' });
  expect(draft.command).toBe('set -e\npython train.py "$@"');
  expect(left).toEqual(['--each-line']);
});
test('what is not understood is refused with its line', () => {
  const kind = (text: string) => {
    try {
      readFile(text);
    } catch (fault) {
      return fault instanceof FileFault ? [fault.kind, fault.line] : fault;
    }
    return null;
  };
  expect(kind('command: x\nvram: &a 8G')).toEqual(['yaml', 2]);
  expect(kind('command: [a, b')).toEqual(['yaml', 1]);
  expect(kind('just a text')).toEqual(['yaml', 1]);
  expect(kind('{"command": ')).toEqual(['json', null]);
  expect(kind('#!/usr/bin/env python3\nprint(1)')).toEqual(['interpreter', null]);
  expect(kind("#!/bin/sh\n#GPUSCHED --name 'x\n")).toEqual(['quote', 2]);
});
test('quotes and comments', () => {
  expect(parseYaml('a: "x # y\\n"\nb: \'it\'\'s\'\nc: x#y # z\nd: http://x:1\n')).toEqual({ a: 'x # y\n', b: "it's", c: 'x#y', d: 'http://x:1' });
});
