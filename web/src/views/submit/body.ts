// What is sent to the daemon, out of what is typed; and what cannot be read, field by field.
import type { Schemas } from '../../api/client';
import { parseDuration, parseSize } from './amounts';
import type { Draft, Field } from './draft';
import { type ParamFault, type Parameter, countOf, parametersOf, tasksOf } from './params';
import { needsShell, splitWords } from './shell';
import { signalNumber } from './signals';

export type Body = Schemas['SubmitRequest'];
export type Fault = 'needed' | 'size' | 'smallSize' | 'duration' | 'number' | 'percent' | 'cards' | 'path' | 'after' | 'signal' | 'checkpoint' | 'env' | 'array' | 'both' | 'moment' | 'priority' | 'quote' | `param-${ParamFault}`;
export type Faults = Partial<Record<Field, Fault>>;

export const kPriorities: Record<string, number> = { idle: 10, low: 30, normal: 50, high: 75, urgent: 90 };

export function priorityOf(text: string): number | null {
  const number = kPriorities[text.toLowerCase()] ?? (/^\d+$/.test(text) ? Number(text) : null);
  return number !== null && number <= 100 ? number : null;
}
export function runsInShell(draft: Draft): boolean {
  return draft.shell === 'yes' || (draft.shell === 'auto' && needsShell(draft.command));
}
export function gpusOf(text: string): Body['gpus'] | undefined {
  if (text === 'all') return 'all';
  const range = /^(\d+)-(\d+)$/.exec(text);
  if (range && Number(range[1]) <= Number(range[2])) return { least: Number(range[1]), most: Number(range[2]) };
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
// "7, any:8,9, 10:fail": a word in front holds for what follows.
export function afterOf(text: string): NonNullable<Body['after']> | null {
  const found: NonNullable<Body['after']> = [];
  let kind: 'ok' | 'any' | 'fail' = 'ok';
  for (const piece of text.split(',').map((one) => one.trim()).filter(Boolean)) {
    const read = /^(?:(ok|any|fail):)?(\d+)(?::(ok|any|fail))?$/.exec(piece);
    if (!read) return null;
    if (read[1]) kind = read[1] as typeof kind;
    found.push({ job: Number(read[2]), kind: (read[3] as typeof kind | undefined) ?? kind });
  }
  return found;
}
// "USR1@60": a signal, and a time before or within.
export function signalOf(text: string): { number: number; seconds: number | null } | null {
  const [name = '', time] = text.split('@');
  const number = name.toLowerCase() === 'none' ? 0 : signalNumber(name);
  const seconds = time === undefined ? null : parseDuration(time);
  return number === null || (time !== undefined && seconds === null) ? null : { number, seconds };
}
const listOf = (text: string) => text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean);
export const cardsOf = (text: string) => listOf(text).map((one) => (/^\d+$/.test(one) ? Number(one) : one));

export function linesOf(env: string): string[] {
  return env.split('\n').map((line) => line.replace(/\r$/, '')).filter((line) => line.trim() !== '' && !line.startsWith('#'));
}
function momentOf(text: string): string | null {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

export interface Read {
  body: Body;
  faults: Faults;
  parameters: Parameter[];
  // How many jobs it would be; null where only the daemon counts.
  count: number | null;
}

// `most`: so many tasks of a sweep at most, for a preview.
export function bodyOf(draft: Draft, most = Infinity): Read {
  const faults: Faults = {};
  const body = {} as Body;
  const text = (field: Field) => (draft[field] as string).trim();
  const take = <T>(field: Field, fault: Fault, read: (typed: string) => T | null | undefined, put: (value: T) => void) => {
    const typed = text(field);
    if (typed === '') return;
    const value = read(typed);
    if (value === null || value === undefined) faults[field] = fault;
    else put(value);
  };
  const whole = (typed: string) => (/^\d+$/.test(typed) ? Number(typed) : null);
  const memory = (typed: string) => {
    const size = parseSize(typed);
    return size !== null && size > 0 && size < 1 << 20 ? null : size;
  };
  const memoryFault = (field: Field): Fault => (parseSize(text(field)) === null ? 'size' : 'smallSize');

  if (text('command') === '') faults.command = 'needed';
  if (runsInShell(draft)) {
    body.command = [draft.command];
    body.shell = true;
    if (text('shellProgram')) body.shell_program = text('shellProgram');
  } else {
    const words = splitWords(draft.command);
    body.command = typeof words === 'string' ? [] : words;
    if (typeof words === 'string') faults.command = 'quote';
  }
  if (text('cwd') === '') faults.cwd = 'needed';
  else if (!text('cwd').startsWith('/')) faults.cwd = 'path';
  body.working_directory = text('cwd');
  take('gpus', 'cards', gpusOf, (gpus) => (body.gpus = gpus));
  take('vram', memoryFault('vram'), memory, (size) => (body.vram_bytes = size));
  take('ram', memoryFault('ram'), memory, (size) => (body.ram_bytes = size));
  take('vramLimit', memoryFault('vramLimit'), memory, (size) => (body.vram_limit_bytes = size));
  take('share', 'percent', (typed) => (/^\d+\s*%?$/.test(typed) && parseInt(typed, 10) <= 100 ? parseInt(typed, 10) : null), (share) => (body.share_percent = share));
  if (draft.exclusive) body.exclusive = true;
  take('onlyCards', 'cards', cardsOf, (cards) => (body.only_cards = cards));
  take('avoidCards', 'cards', cardsOf, (cards) => (body.avoid_cards = cards));
  take('cpus', 'number', whole, (cpus) => (body.cpus = cpus));
  if (draft.cpuUse !== 'never') body.cpu_use = draft.cpuUse;
  take('time', 'duration', parseDuration, (seconds) => (body.time_limit_s = seconds));
  take('grace', 'duration', parseDuration, (seconds) => (body.grace_s = seconds));
  take('signal', 'signal', (typed) => { const read = signalOf(typed); return read && read.number > 0 ? read : null; }, (one) => (body.signal = { number: one.number, ...(one.seconds === null ? {} : { before_s: one.seconds }) }));
  take('priority', 'priority', priorityOf, (priority) => (body.priority = priority));
  for (const [field, name] of [['name', 'name'], ['group', 'group'], ['project', 'project'], ['comment', 'comment'], ['cardType', 'card_type'], ['output', 'output_path'], ['error', 'error_path']] as const) if (text(field)) body[name] = text(field);
  if (text('tags')) body.tags = listOf(text('tags'));
  take('after', 'after', afterOf, (after) => (body.after = after));
  take('retries', 'number', whole, (retries) => (body.retries = retries));
  if (text('retryOn')) body.retry_causes = listOf(text('retryOn')) as NonNullable<Body['retry_causes']>;
  take('backOff', 'duration', parseDuration, (seconds) => (body.retry_back_off_s = seconds));
  if (draft.restartable) body.restartable = true;
  if (draft.preempt !== 'auto') body.preempt = draft.preempt;
  take('checkpoint', 'checkpoint', signalOf, (one) => (body.checkpoint = { signal: one.number, ...(one.seconds === null ? {} : { grace_s: one.seconds }) }));
  for (const field of ['begin', 'expire', 'deadline'] as const) take(field, 'moment', momentOf, (at) => (body[field] = at));
  if (draft.hold) body.hold = true;
  if (text('notify')) body.notify = draft.notify.split('\n').map((one) => one.trim()).filter(Boolean);

  const parameters = parametersOf(draft.params);
  if (typeof parameters === 'string') faults.params = `param-${parameters}`;
  const known = typeof parameters === 'string' ? [] : parameters;
  if (known.length > 0 && text('array')) faults.array = 'both';
  if (known.length > 0) body.tasks = tasksOf(known, most);
  take('array', 'array', (typed) => /^(\d+(?:-\d+(?::\d+)?)?(?:,\d+(?:-\d+(?::\d+)?)?)*)(?:%(\d+))?$/.exec(typed), (read) => (body.array = { indices: read[1] as string, ...(read[2] ? { limit: Number(read[2]) } : {}) }));
  readEnvironment(draft, body, faults, known.map((one) => one.name).concat(text('array') || known.length > 0 ? ['index'] : []));
  return { body, faults, parameters: known, count: text('array') ? null : countOf(known) };
}

// Values with placeholders differ from job to job and stand apart from what all jobs share.
function readEnvironment(draft: Draft, body: Body, faults: Faults, placeholders: string[]): void {
  const shared: string[] = [];
  const own: string[] = [];
  for (const line of linesOf(draft.env)) {
    if (!/^[^=\s][^=]*=/.test(line)) faults.env = 'env';
    else (placeholders.some((name) => line.slice(line.indexOf('=')).includes(`{${name}}`)) ? own : shared).push(line);
  }
  body.environment = shared;
  if (own.length > 0) body.variables = own;
}

const kNames: [RegExp, Field][] = [
  [/\bof type '|\bcard_type\b/, 'cardType'], [/\bcan ever hold\b/, 'vram'], [/\bneeds \d+ card\(s\)/, 'gpus'], [/\bhas the (alias|number|tag)\b|\balias or tag\b/, 'onlyCards'], [/\bnotif/, 'notify'], [/\bboth write to\b/, 'output'],
  [/\bworking[_ ]directory\b|\bdirectory\b/, 'cwd'], [/\bvram_limit_bytes\b|--vram-limit/, 'vramLimit'], [/\bvram(_bytes)?\b/i, 'vram'], [/\bshare(_percent)?\b/, 'share'], [/\bonly_cards\b|--gpu\b|\bcard "/, 'onlyCards'], [/\bavoid_cards\b|--not-gpu/, 'avoidCards'], [/\bcard_type\b|--gpu-type/, 'cardType'],
  [/\bgpus\b/, 'gpus'], [/\bcpu_use\b/, 'cpuUse'], [/\bcpus\b/i, 'cpus'], [/\bram_bytes\b|\bRAM\b/, 'ram'], [/\btime_limit_s\b|\btime limit\b/, 'time'], [/\bgrace_s\b/, 'grace'], [/\bcheckpoint\b/, 'checkpoint'], [/\bsignal\b/, 'signal'],
  [/\bpriority\b/, 'priority'], [/\bgroup\b/, 'group'], [/\bproject\b/, 'project'], [/\btags?\b/, 'tags'], [/\bafter\b|\bthere is no job\b|\bdepend/, 'after'], [/\bretry_causes\b/, 'retryOn'], [/\bretry_back_off_s\b/, 'backOff'], [/\bretries\b/, 'retries'],
  [/\bbegin\b/, 'begin'], [/\bexpire\b/, 'expire'], [/\bdeadline\b/, 'deadline'], [/\bnotify\b|\breceiver\b/, 'notify'], [/\bcomment\b/, 'comment'], [/\boutput_path\b|\bsame file\b/, 'output'], [/\berror_path\b/, 'error'], [/\barray\b|\bindices\b/, 'array'], [/\btasks?\b|\bsweep\b|\bparameter/, 'params'],
  [/\benvironment\b|\bvariables?\b/, 'env'], [/\bshell_program\b/, 'shellProgram'], [/\bcommand\b/, 'command'], [/\bname\b/, 'name'],
];
// The field that a sentence of the daemon is about; null: none in particular.
export function fieldOf(message: string): Field | null {
  return kNames.find(([name]) => name.test(message))?.[1] ?? null;
}
