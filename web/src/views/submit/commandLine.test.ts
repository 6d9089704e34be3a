import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bodyOf } from './body';
import { commandLine, wordsOf } from './commandLine';
import { type Draft, type Field, kEmpty } from './draft';

const draft = (more: Partial<Draft>): Draft => ({ ...kEmpty, command: 'python train.py', cwd: '/data', env: '', ...more });
const kHead = 'gpusched submit';
const kTail = '--cwd /data --no-env -- python train.py';

// Every field, what it becomes on the command line, and what is sent.
const kFields: [Field, string | boolean, string, object][] = [
  ['gpus', '1-4', '--gpus 1-4', { gpus: { least: 1, most: 4 } }],
  ['gpus', 'all', '--gpus all', { gpus: 'all' }],
  ['gpus', '0', '--gpus 0', { gpus: 0 }],
  ['vram', '8 GiB', '--vram 8G', { vram_bytes: 8 * 2 ** 30 }],
  ['share', '40 %', '--share 40', { share_percent: 40 }],
  ['exclusive', true, '--exclusive', { exclusive: true }],
  ['onlyCards', '0, left', '--gpu 0,left', { only_cards: [0, 'left'] }],
  ['avoidCards', '1', '--not-gpu 1', { avoid_cards: [1] }],
  ['cardType', 'A100 80', "--gpu-type 'A100 80'", { card_type: 'A100 80' }],
  ['cpus', '4', '--cpus 4', { cpus: 4 }],
  ['ram', '16G', '--mem 16G', { ram_bytes: 16 * 2 ** 30 }],
  ['cpuUse', 'prefer', '--cpu-ok', { cpu_use: 'prefer' }],
  ['cpuUse', 'fallback', '--cpu-ok=fallback', { cpu_use: 'fallback' }],
  ['time', '1h 30m', '--time 1h30m', { time_limit_s: 5400 }],
  ['signal', 'USR1@60', '--signal USR1@60', { signal: { number: 10, before_s: 60 } }],
  ['grace', '30s', '--grace 30s', { grace_s: 30 }],
  ['vramLimit', '9G', '--vram-limit 9G', { vram_limit_bytes: 9 * 2 ** 30 }],
  ['priority', 'high', '--priority high', { priority: 75 }],
  ['group', 'night', '--group night', { group: 'night' }],
  ['project', 'a b', "--project 'a b'", { project: 'a b' }],
  ['tags', 'paper, night', '--tag paper,night', { tags: ['paper', 'night'] }],
  ['name', "it's {lr}", "--name 'it'\\''s {lr}'", { name: "it's {lr}" }],
  ['after', '7, any:8,9', '--after 7,any:8,9', { after: [{ job: 7, kind: 'ok' }, { job: 8, kind: 'any' }, { job: 9, kind: 'any' }] }],
  ['array', '0-99%4', '--array 0-99%4', { array: { indices: '0-99', limit: 4 } }],
  ['retries', '2', '--retries 2', { retries: 2 }],
  ['retryOn', 'exit, signal', '--retry-on exit,signal', { retry_causes: ['exit', 'signal'] }],
  ['backOff', '1m', '--back-off 1m', { retry_back_off_s: 60 }],
  ['restartable', true, '--restartable', { restartable: true }],
  ['preempt', 'never', '--preempt never', { preempt: 'never' }],
  ['checkpoint', 'none@60', '--checkpoint=none@60', { checkpoint: { signal: 0, grace_s: 60 } }],
  ['hold', true, '--hold', { hold: true }],
  ['comment', '$x', "--comment '$x'", { comment: '$x' }],
  ['output', '/data/{index}.log', "--output '/data/{index}.log'", { output_path: '/data/{index}.log' }],
  ['error', '/dev/null', '--error /dev/null', { error_path: '/dev/null' }],
  ['notify', 'done,late:ops\nml1@lab.org', '--notify done,late:ops --notify ml1@lab.org', { notify: ['done,late:ops', 'ml1@lab.org'] }],
];

test.each(kFields)('%s: %s', (field, value, flag, sent) => {
  const one = draft({ [field]: value });
  const line = commandLine(one);
  expect(line.startsWith(kHead)).toBe(true);
  expect(line).toContain(` ${flag} `);
  const { body, faults } = bodyOf(one);
  expect(faults).toEqual({});
  expect(body).toMatchObject(sent);
});
test('a form with nothing but a command needs nothing more', () => {
  expect(commandLine(draft({}))).toBe(`${kHead} ${kTail}`);
  expect(bodyOf(draft({})).body).toEqual({ command: ['python', 'train.py'], working_directory: '/data', gpus: 1, environment: [] });
});
test('times are the same instant on both ways', () => {
  const one = draft({ begin: '2030-01-01T08:00', deadline: '2030-01-02T08:00', expire: '2030-01-03T08:00' });
  const { body } = bodyOf(one);
  expect(body.begin).toBe(new Date('2030-01-01T08:00').toISOString());
  const words = wordsOf(one);
  for (const [flag, at] of [['--begin', body.begin], ['--deadline', body.deadline], ['--expire', body.expire]] as const) expect(Date.parse(words[words.indexOf(flag) + 1] ?? '')).toBe(Date.parse(at ?? ''));
});
test('lines for a shell, and variables with what shells would expand', () => {
  const one = draft({ command: 'cd x && python t.py "$LR"', shellProgram: 'bash', env: "LR=0.1\nMSG=it's $5\n# a note\n" });
  expect(commandLine(one)).toBe(`${kHead} --cwd /data --no-env --env LR=0.1 --env 'MSG=it'\\''s $5' --shell bash --cmd 'cd x && python t.py "$LR"'`);
  expect(bodyOf(one).body).toMatchObject({ command: ['cd x && python t.py "$LR"'], shell: true, shell_program: 'bash', environment: ['LR=0.1', "MSG=it's $5"] });
});
test('sweeps, with variables that differ from job to job', () => {
  const one = draft({ command: 'python t.py --lr {lr}', params: 'lr = 0.1,0.01\nseed=1:3', env: 'A=1\nRUN=run-{seed}' });
  expect(commandLine(one)).toContain('--param lr=0.1,0.01 --param seed=1:3 --no-env');
  const { body, count } = bodyOf(one);
  expect(count).toBe(6);
  expect(body.tasks?.length).toBe(6);
  expect(body).toMatchObject({ environment: ['A=1'], variables: ['RUN=run-{seed}'] });
  expect(bodyOf(one, 2).body.tasks?.length).toBe(2);
});
test('all flags are those of the command line', () => {
  // Where the page was copied to be built, its documents are elsewhere.
  const place = process.env['GPUSCHED_DOCS'] ?? fileURLToPath(new URL('../../../../docs', import.meta.url));
  const docs = readFileSync(`${place}/cli.md`, 'utf8');
  const all = draft({ ...Object.fromEntries(kFields.map(([field, value]) => [field, value])), begin: '2030-01-01T08:00', expire: '2030-01-01T08:00', deadline: '2030-01-01T08:00', params: 'a=1', shellProgram: 'bash', shell: 'yes' });
  for (const word of wordsOf(all)) if (/^--[a-z]/.test(word)) expect(docs).toContain(word.split('=')[0]);
});
