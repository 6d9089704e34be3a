// A job from a file: a job file (YAML or JSON, its keys are the flags), or a script with #GPUSCHED
// lines. Only what the form can show is taken; the rest is named.
import { type Draft, type Field, kEmpty } from './draft';
import { quoted, splitWords } from './shell';
import { type Node, YamlFault, parseYaml } from './yaml';

export interface FromFile {
  draft: Draft;
  // Flags that the form does not have.
  left: string[];
}
export class FileFault extends Error {
  constructor(
    readonly kind: 'yaml' | 'json' | 'shape' | 'script' | 'interpreter' | 'quote',
    readonly line: number | null = null,
  ) {
    super(kind);
  }
}

type Taken = (draft: Draft, value: string) => void;
const put = (field: Field): Taken => (draft, value) => {
  (draft as unknown as Record<string, string>)[field] = value;
};
const add = (field: Field, mark: string): Taken => (draft, value) => {
  const record = draft as unknown as Record<string, string>;
  record[field] = record[field] ? `${record[field]}${mark}${value}` : value;
};
const turn = (field: Field): Taken => (draft, value) => {
  (draft as unknown as Record<string, boolean>)[field] = !/^(false|no|off|0)$/i.test(value);
};
const kFlags: Record<string, Taken> = {
  gpus: put('gpus'), vram: put('vram'), share: put('share'), exclusive: turn('exclusive'), gpu: add('onlyCards', ','), 'not-gpu': add('avoidCards', ','), 'gpu-type': put('cardType'), cpus: put('cpus'), mem: put('ram'),
  'cpu-ok': (draft, value) => (draft.cpuUse = value === 'fallback' ? 'fallback' : 'prefer'), time: put('time'), signal: put('signal'), grace: put('grace'), 'vram-limit': put('vramLimit'), priority: put('priority'),
  name: put('name'), group: put('group'), project: put('project'), tag: add('tags', ','), after: add('after', ','), array: put('array'), param: add('params', '\n'),
  retries: (draft, value) => {
    const [count = '', causes] = value.split(':');
    draft.retries = count;
    if (causes) draft.retryOn = causes;
  },
  'retry-on': put('retryOn'), 'back-off': put('backOff'), restartable: turn('restartable'), preempt: put('preempt'), checkpoint: (draft, value) => (draft.checkpoint = value === '' || value === 'true' ? 'USR1@60' : value),
  hold: turn('hold'), notify: add('notify', '\n'), comment: put('comment'), output: put('output'), error: put('error'), cwd: put('cwd'), shell: put('shellProgram'),
  env: add('env', '\n'), 'no-env': () => undefined, 'env-none': () => undefined,
  cmd: (draft, value) => Object.assign(draft, { command: value, shell: 'yes' }),
};
const kSwitches = ['exclusive', 'restartable', 'hold', 'no-env', 'env-none'];
const kMaybeValued = ['cpu-ok', 'checkpoint'];

// Times of job files are words such as "tomorrow 8:00"; the form has a clock. Exact ones are taken.
function takeTime(draft: Draft, flag: string, value: string): boolean {
  const at = Date.parse(value);
  if (!['begin', 'expire', 'deadline'].includes(flag) || Number.isNaN(at)) return false;
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  put(flag as Field)(draft, local);
  return true;
}
function takeFlag(draft: Draft, left: string[], flag: string, value: string): void {
  const taken = kFlags[flag];
  if (taken) taken(draft, value);
  else if (!takeTime(draft, flag, value)) left.push(`--${flag}`);
}
function begun(): Draft {
  return { ...kEmpty };
}

const escaped = (value: string) => value.replace(/[\\,:]/g, '\\$&');
function takeKey(draft: Draft, left: string[], key: string, value: Node): void {
  if (key === 'command') {
    if (typeof value === 'string') Object.assign(draft, { command: value, shell: 'yes' });
    else if (Array.isArray(value) && value.every((one) => typeof one === 'string')) Object.assign(draft, { command: (value as string[]).map(quoted).join(' '), shell: 'no' });
    else throw new FileFault('shape');
    return;
  }
  if (key === 'param' && typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, values] of Object.entries(value)) {
      const list = Array.isArray(values) ? values.map((one) => escaped(String(one))).join(',') : String(values);
      takeFlag(draft, left, 'param', `${name}=${list}`);
    }
    return;
  }
  if (key === 'env' && typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, one] of Object.entries(value)) takeFlag(draft, left, 'env', `${name}=${String(one)}`);
    return;
  }
  if (typeof value === 'string') {
    if (value === '' && !kSwitches.includes(key)) throw new FileFault('shape');
    // "checkpoint: false" asks for nothing.
    if (kMaybeValued.includes(key) && /^(false|no|off)$/i.test(value)) return;
    takeFlag(draft, left, key, value);
    return;
  }
  if (!Array.isArray(value)) throw new FileFault('shape');
  for (const one of value) takeFlag(draft, left, key, String(one));
}

function texts(value: unknown): Node {
  if (Array.isArray(value)) return value.map(texts);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, texts(one)]));
  return value === null || value === undefined ? '' : String(value);
}
function fromJobFile(root: Node): FromFile {
  if (typeof root === 'string' || Array.isArray(root)) throw new FileFault('shape');
  const draft = begun();
  const left: string[] = [];
  for (const [key, value] of Object.entries(root)) takeKey(draft, left, key, value);
  return { draft, left };
}

// The script itself goes along as the lines of a shell: the other machine does not have the file.
function fromScript(text: string): FromFile {
  const draft = begun();
  const left: string[] = [];
  const lines = text.split(/\r?\n/);
  const shebang = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(lines[0] ?? '');
  const program = (shebang?.[1]?.endsWith('/env') ? shebang[2] : shebang?.[1]) ?? '';
  if (program && !/(^|\/)(ba|da|z|k)?sh$/.test(program)) throw new FileFault('interpreter');
  if (program && !/(^|\/)sh$/.test(program)) draft.shellProgram = program;
  for (const [i, line] of lines.entries()) {
    if (line.trim() !== '' && !line.startsWith('#')) break;
    const said = /^#GPUSCHED\s+(.*)$/.exec(line);
    if (!said) continue;
    const words = splitWords(said[1] as string);
    if (typeof words === 'string') throw new FileFault('quote', i + 1);
    for (let k = 0; k < words.length; k += 1) {
      const found = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(words[k] as string);
      if (!found) throw new FileFault('script', i + 1);
      const flag = found[1] as string;
      let value = found[2] ?? '';
      if (found[2] === undefined && !kSwitches.includes(flag) && !kMaybeValued.includes(flag)) {
        k += 1;
        value = words[k] ?? '';
      }
      takeFlag(draft, left, flag, kSwitches.includes(flag) && value === '' ? 'true' : value);
    }
  }
  draft.command = lines.filter((line, i) => !line.startsWith('#GPUSCHED') && !(i === 0 && line.startsWith('#!'))).join('\n').trim();
  draft.shell = 'yes';
  return { draft, left };
}

export function readFile(text: string): FromFile {
  if (/^#!/.test(text) || /^#GPUSCHED/m.test(text)) return fromScript(text);
  if (text.trimStart().startsWith('{')) {
    try {
      return fromJobFile(texts(JSON.parse(text)));
    } catch (fault) {
      if (fault instanceof FileFault) throw fault;
      throw new FileFault('json');
    }
  }
  try {
    return fromJobFile(parseYaml(text));
  } catch (fault) {
    if (fault instanceof YamlFault) throw new FileFault('yaml', fault.line);
    throw fault;
  }
}
