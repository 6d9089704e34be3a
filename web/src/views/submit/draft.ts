// What is typed into the form: texts as they stand there. A draft survives a reload.
import type { JobDetails } from '../../api/client';
import { durationText, sizeText } from './amounts';
import { signalName } from './signals';
import { quoted } from './shell';

export interface Draft {
  command: string;
  // Whether a shell runs it: told from the line, or said.
  shell: 'auto' | 'yes' | 'no';
  shellProgram: string;
  cwd: string;
  name: string;
  gpus: string;
  vram: string;
  share: string;
  exclusive: boolean;
  onlyCards: string;
  avoidCards: string;
  cardType: string;
  cpus: string;
  ram: string;
  cpuUse: 'never' | 'prefer' | 'fallback';
  time: string;
  signal: string;
  grace: string;
  vramLimit: string;
  priority: string;
  group: string;
  project: string;
  tags: string;
  after: string;
  array: string;
  params: string;
  retries: string;
  retryOn: string;
  backOff: string;
  restartable: boolean;
  preempt: 'auto' | 'cooperative' | 'never';
  checkpoint: string;
  // As <input type="datetime-local"> has it.
  begin: string;
  expire: string;
  deadline: string;
  hold: boolean;
  notify: string;
  comment: string;
  output: string;
  error: string;
  env: string;
}
export type Field = keyof Draft;

export const kEmpty: Draft = {
  command: '', shell: 'auto', shellProgram: '', cwd: '', name: '', gpus: '1', vram: '', share: '', exclusive: false, onlyCards: '', avoidCards: '', cardType: '',
  cpus: '', ram: '', cpuUse: 'never', time: '', signal: '', grace: '', vramLimit: '', priority: '', group: '', project: '', tags: '', after: '', array: '', params: '',
  retries: '', retryOn: '', backOff: '', restartable: false, preempt: 'auto', checkpoint: '', begin: '', expire: '', deadline: '', hold: false, notify: '', comment: '',
  output: '', error: '',
  // Without a PATH most programs are not found.
  env: 'PATH=/usr/local/bin:/usr/bin:/bin',
};

const kKept = 'gpusched.draft';
export function keptDraft(): Draft {
  try {
    return { ...kEmpty, ...(JSON.parse(sessionStorage.getItem(kKept) ?? '{}') as Partial<Draft>) };
  } catch {
    return kEmpty;
  }
}
export function keepDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(kKept, JSON.stringify(draft));
  } catch {
    // A browser that keeps nothing still submits.
  }
}

function localTime(at: string | null): string {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
const kRetryDefault = ['exit', 'signal', 'cuda_oom', 'host_oom', 'gpu_lost', 'vram_limit', 'supervisor_lost', 'restore_lost'];

// The same job again. What only its owner sees is left as it is in an empty form.
export function draftOf(job: JobDetails): Draft {
  const { needs } = job;
  const { least, most } = needs.gpus;
  const line = job.shell ? (job.argv?.[0] ?? job.command) : job.argv ? job.argv.map(quoted).join(' ') : job.command;
  const bytes = (value: number | null | undefined) => (value ? sizeText(value) : '');
  const environment = job.environment?.filter((one) => !one.startsWith('GPUSCHED_'));
  return {
    ...kEmpty,
    command: line,
    shell: job.shell ? 'yes' : 'no',
    shellProgram: job.shell_program ?? '',
    cwd: job.working_directory ?? '',
    name: job.name ?? '',
    gpus: most === 'all' ? 'all' : least === most ? String(least) : `${least}-${most}`,
    vram: bytes(needs.vram_bytes),
    share: needs.share_percent ? String(needs.share_percent) : '',
    exclusive: needs.exclusive,
    onlyCards: needs.only_cards.join(','),
    avoidCards: needs.avoid_cards.join(','),
    cardType: needs.card_type,
    cpus: needs.cpus ? String(needs.cpus) : '',
    ram: bytes(needs.ram_bytes),
    cpuUse: needs.cpu_use,
    time: job.time_limit_s ? durationText(job.time_limit_s) : '',
    signal: job.warn_signal ? `${signalName(job.warn_signal.number)}@${job.warn_signal.before_s}` : '',
    grace: job.grace_s && job.grace_s !== 10 ? durationText(job.grace_s) : '',
    vramLimit: bytes(job.vram_limit_bytes),
    priority: job.priority === 50 ? '' : String(job.priority),
    group: job.group ?? '',
    project: job.project ?? '',
    tags: job.tags.join(','),
    retries: job.retries ? String(job.retries) : '',
    retryOn: [...job.retry_causes].sort().join() === [...kRetryDefault].sort().join() ? '' : job.retry_causes.join(','),
    backOff: job.retry_back_off_s && job.retry_back_off_s !== 5 ? durationText(job.retry_back_off_s) : '',
    restartable: job.restartable,
    preempt: job.preempt,
    checkpoint: job.checkpoint ? `${job.checkpoint.signal ? signalName(job.checkpoint.signal) : 'none'}@${job.checkpoint.grace_s}` : '',
    deadline: job.deadline && Date.parse(job.deadline) > Date.now() ? localTime(job.deadline) : '',
    notify: job.notify?.join('\n') ?? '',
    comment: job.comment ?? '',
    output: job.output_path ?? '',
    error: job.error_path ?? '',
    env: environment && environment.length > 0 ? environment.join('\n') : kEmpty.env,
  };
}
