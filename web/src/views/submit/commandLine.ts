// The same job as a command line: what the form does can be written into a script.
import { type Draft, kEmpty } from './draft';
import { linesOf, runsInShell } from './body';
import { quoted, splitWords } from './shell';

const kValues: [keyof Draft, string][] = [
  ['gpus', '--gpus'], ['vram', '--vram'], ['share', '--share'], ['onlyCards', '--gpu'], ['avoidCards', '--not-gpu'], ['cardType', '--gpu-type'], ['cpus', '--cpus'], ['ram', '--mem'], ['time', '--time'],
  ['signal', '--signal'], ['grace', '--grace'], ['vramLimit', '--vram-limit'], ['priority', '--priority'], ['name', '--name'], ['group', '--group'], ['project', '--project'], ['tags', '--tag'], ['after', '--after'],
  ['array', '--array'], ['retries', '--retries'], ['retryOn', '--retry-on'], ['backOff', '--back-off'], ['comment', '--comment'], ['output', '--output'], ['error', '--error'], ['cwd', '--cwd'],
];
// Lists may be typed with spaces and line breaks; a flag takes them with commas alone.
const kLists: ReadonlySet<keyof Draft> = new Set(['onlyCards', 'avoidCards', 'tags', 'after', 'retryOn'] as const);
// These take sizes, durations and the like: spaces in between mean nothing.
const kTight: ReadonlySet<keyof Draft> = new Set(['vram', 'ram', 'vramLimit', 'time', 'grace', 'backOff'] as const);

function valueOf(draft: Draft, field: keyof Draft): string {
  const typed = String(draft[field]).trim();
  if (kLists.has(field)) return typed.split(/[,\n]/).map((one) => one.trim()).filter(Boolean).join(',');
  if (field === 'share') return typed.replace(/\s*%$/, '');
  return kTight.has(field) ? typed.replace(/\s+/g, '').replace(/iB$/i, '').replace(/B$/i, '') : typed;
}

export function wordsOf(draft: Draft): string[] {
  const words = ['gpusched', 'submit'];
  for (const [field, flag] of kValues) {
    const value = valueOf(draft, field);
    if (value === '' || (field === 'gpus' && value === kEmpty.gpus)) continue;
    words.push(flag, value);
  }
  if (draft.exclusive) words.push('--exclusive');
  if (draft.cpuUse === 'prefer') words.push('--cpu-ok');
  if (draft.cpuUse === 'fallback') words.push('--cpu-ok=fallback');
  if (draft.checkpoint.trim()) words.push(`--checkpoint=${draft.checkpoint.trim()}`);
  if (draft.restartable) words.push('--restartable');
  if (draft.preempt !== 'auto') words.push('--preempt', draft.preempt);
  for (const field of ['begin', 'expire', 'deadline'] as const) {
    const at = new Date(draft[field]);
    if (draft[field] && !Number.isNaN(at.getTime())) words.push(`--${field}`, at.toISOString().replace('.000', ''));
  }
  if (draft.hold) words.push('--hold');
  for (const line of draft.notify.split('\n')) if (line.trim()) words.push('--notify', line.trim());
  for (const line of draft.params.split('\n')) if (line.trim()) words.push('--param', line.trim().replace(/^([^=\s]+)\s*=\s*/, '$1='));
  words.push('--no-env');
  for (const line of linesOf(draft.env)) words.push('--env', line);
  if (runsInShell(draft)) {
    if (draft.shellProgram.trim()) words.push('--shell', draft.shellProgram.trim());
    return [...words, '--cmd', draft.command];
  }
  const command = splitWords(draft.command);
  return [...words, '--', ...(typeof command === 'string' ? [draft.command] : command)];
}
export function commandLine(draft: Draft): string {
  return wordsOf(draft).map(quoted).join(' ');
}
