// The state of a job: a sign, a word and a colour, never the colour alone.
import { defineWords, useWords } from '../words/words';
import './state-mark.css';

type Look = 'run' | 'wait' | 'aside' | 'good' | 'warn' | 'bad';
const kLooks: Record<string, [string, Look]> = {
  held: ['‖', 'wait'],
  queued: ['○', 'wait'],
  starting: ['▷', 'run'],
  running: ['▶', 'run'],
  pausing: ['⇄', 'aside'],
  paused: ['⇄', 'aside'],
  resuming: ['⇄', 'aside'],
  completed: ['✓', 'good'],
  failed: ['✕', 'bad'],
  cancelled: ['■', 'wait'],
};
export const stateWords = defineWords(
  { held: 'held', queued: 'waiting', starting: 'starting', running: 'running', pausing: 'moving aside', paused: 'aside', resuming: 'returning', completed: 'done', failed: 'failed', cancelled: 'cancelled' },
  { held: '已挂起', queued: '等待中', starting: '启动中', running: '运行中', pausing: '让位中', paused: '已让位', resuming: '返回中', completed: '已完成', failed: '失败', cancelled: '已取消' },
);

export function StateMark({ state }: { state: string }) {
  const w = useWords(stateWords) as Record<string, string>;
  const [sign, look] = kLooks[state] ?? ['?', 'wait'];
  return (
    <span class={`state-mark ${look}`} data-state={state}>
      <span aria-hidden="true">{sign}</span> {w[state] ?? state}
    </span>
  );
}
