// The states of a sweep's jobs as a strip, and in words.
import type { Counts } from '../api/client';
import { amount } from '../words/figures';
import { useWords } from '../words/words';
import { stateWords } from './StateMark';
import './state-strip.css';

const kParts = [
  ['completed', 'good', '✓'],
  ['running', 'run', '▶'],
  ['starting', 'run', '▷'],
  ['paused', 'aside', '⇄'],
  ['queued', 'wait', '○'],
  ['held', 'held', '‖'],
  ['failed', 'bad', '✕'],
  ['cancelled', 'off', '■'],
] as const;

export function StateStrip({ counts, label }: { counts: Counts; label: (parts: string) => string }) {
  const w = useWords(stateWords);
  const parts = kParts.map(([state, look, sign]) => ({ state, look, sign, count: counts[state as keyof Counts] ?? 0 })).filter((one) => one.count > 0);
  const sum = parts.reduce((before, one) => before + one.count, 0);
  const said = parts.map((one) => `${amount(one.count)} ${w[one.state]}`).join(', ');
  return (
    <span class="state-strip" title={said}>
      <span class="strip-bar" role="img" aria-label={label(said)}>
        {parts.map((one) => <span key={one.state} class={`strip-part ${one.look}`} style={{ width: `${(one.count / sum) * 100}%` }} />)}
      </span>
      <span class="strip-words" aria-hidden="true">
        {parts.map((one) => <span key={one.state} class={`strip-count number ${one.look}`}>{one.sign} {amount(one.count)}</span>)}
      </span>
    </span>
  );
}
