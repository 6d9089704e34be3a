// What the daemon says would help ("ask for --vram 7G instead of 20G and it starts now: gpusched
// set 7 --vram 7G"), as changes that a button can make.
import { parseDuration, parseSize } from '../submit/amounts';

export type Field = 'vram' | 'share' | 'gpus' | 'cpus' | 'mem' | 'time' | 'anyCards';
export interface Fix {
  field: Field;
  // As it is written after the flag.
  value: string;
  // The body of PATCH /v1/jobs/7.
  patch: Record<string, unknown>;
}

function patchOf(flag: string, value: string): Fix | null {
  const number = Number(value);
  const size = parseSize(value);
  const seconds = parseDuration(value);
  switch (flag) {
    case '--vram':
      return size === null ? null : { field: 'vram', value, patch: { vram_bytes: size } };
    case '--mem':
      return size === null ? null : { field: 'mem', value, patch: { ram_bytes: size } };
    case '--time':
      return seconds === null ? null : { field: 'time', value, patch: { time_limit_s: seconds } };
    case '--share':
      return { field: 'share', value, patch: { share_percent: number } };
    case '--gpus':
      return { field: 'gpus', value, patch: { gpus: number } };
    case '--cpus':
      return { field: 'cpus', value, patch: { cpus: number } };
    default:
      return null;
  }
}

export function fixesOf(helps: string | null): Fix[] {
  if (!helps) return [];
  const fixes: Fix[] = [];
  for (const sentence of helps.split('; ')) {
    if (!sentence.includes('it starts now')) continue;
    if (sentence.includes('without --gpu, --not-gpu and --gpu-type')) {
      fixes.push({ field: 'anyCards', value: '', patch: { only_cards: [], avoid_cards: [], card_type: '' } });
      continue;
    }
    const said = /(--(?:vram|mem|time|share|gpus|cpus)) ([0-9][0-9.]*[a-zA-Z]*)/.exec(sentence);
    const fix = said ? patchOf(said[1] as string, said[2] as string) : null;
    if (fix) fixes.push(fix);
  }
  return fixes;
}
