// What can be done with jobs: what it is called, in which states, and how the daemon is asked.
import { type State, kActive, kEnded, kWaiting } from '../api/jobs';
import { defineWords } from '../words/words';

export type Verb = 'cancel' | 'hold' | 'release' | 'pause' | 'resume' | 'requeue' | 'priority';
export const kVerbs: readonly Verb[] = ['cancel', 'hold', 'release', 'pause', 'resume', 'requeue', 'priority'];

const kStatesOf: Record<Verb, readonly State[]> = {
  cancel: [...kWaiting, ...kActive],
  hold: ['queued'],
  release: ['held'],
  pause: ['running'],
  resume: ['paused', 'pausing'],
  requeue: ['starting', 'running', ...kEnded],
  priority: [...kWaiting, ...kActive],
};
export function fits(verb: Verb, state: string): boolean {
  return (kStatesOf[verb] as readonly string[]).includes(state);
}

export const verbWords = defineWords(
  {
    cancel: 'Cancel',
    hold: 'Hold',
    release: 'Release',
    pause: 'Pause',
    resume: 'Resume',
    requeue: 'Requeue',
    priority: 'Priority',
    aboutCancel: 'Jobs that wait leave the queue. Jobs that run are asked to stop, and are ended if they do not. It cannot be taken back.',
    aboutHold: 'It keeps its place in the queue but does not start until it is released.',
    aboutRelease: 'It may start again as soon as there is room.',
    aboutPause: 'It is moved aside, its VRAM goes to host RAM where the driver can do that. It stays there until it is resumed.',
    aboutResume: 'It returns to its cards as soon as there is room.',
    aboutRequeue: 'It runs again under the same number. If it runs now, it is stopped first and starts over from the beginning.',
    aboutPriority: 'From 0 to 100; larger goes first. From band to band (20, 40, 70, 85) it may move others aside.',
    newPriority: 'New priority',
    bandIdle: 'idle',
    bandLow: 'low',
    bandNormal: 'normal',
    bandHigh: 'high',
    bandUrgent: 'urgent',
  },
  {
    cancel: '取消',
    hold: '挂起',
    release: '放行',
    pause: '暂停',
    resume: '恢复',
    requeue: '重新排队',
    priority: '优先级',
    aboutCancel: '等待中的作业离开队列；运行中的作业会先收到停止请求，若不停止则被强制结束。此操作无法撤销。',
    aboutHold: '作业保留在队列中的位置，但在放行之前不会启动。',
    aboutRelease: '一旦有空位，作业即可启动。',
    aboutPause: '作业让位；在驱动支持时，其显存会移入主机内存。恢复之前一直保持让位状态。',
    aboutResume: '一旦有空位，作业就返回其显卡。',
    aboutRequeue: '作业以同一编号重新运行。若正在运行，会先停止并从头开始。',
    aboutPriority: '0 到 100，越大越优先。跨越档位（20、40、70、85）时可能使其他作业让位。',
    newPriority: '新优先级',
    bandIdle: '空闲',
    bandLow: '低',
    bandNormal: '普通',
    bandHigh: '高',
    bandUrgent: '紧急',
  },
);
export const kAbout = {
  cancel: 'aboutCancel',
  hold: 'aboutHold',
  release: 'aboutRelease',
  pause: 'aboutPause',
  resume: 'aboutResume',
  requeue: 'aboutRequeue',
  priority: 'aboutPriority',
} as const;

export function bandOf(priority: number): 'bandIdle' | 'bandLow' | 'bandNormal' | 'bandHigh' | 'bandUrgent' {
  if (priority < 20) return 'bandIdle';
  if (priority < 40) return 'bandLow';
  if (priority < 70) return 'bandNormal';
  return priority < 85 ? 'bandHigh' : 'bandUrgent';
}
