// The states of a sweep's jobs as a strip, and in words.
import type { Counts } from '../api/client';
import { amount } from '../words/figures';
import { listed } from '../words/marks';
import { defineWords, useWords } from '../words/words';
import { stateWords } from './StateMark';
import './state-strip.css';

// What went wrong comes first: where there is little room the rest is cut.
const kParts = [
  ['failed', 'bad', '✕'],
  ['completed', 'good', '✓'],
  ['running', 'run', '▶'],
  ['starting', 'run', '▷'],
  ['paused', 'aside', '⇄'],
  ['queued', 'wait', '○'],
  ['held', 'held', '‖'],
  ['cancelled', 'off', '■'],
] as const;
const words = defineWords({ some: (count: string, state: string) => `${count} ${state}` }, { some: (count: string, state: string) => `${count} 个${state}` });

interface Props {
  counts: Counts;
  // What a screen reader is told instead of the bare counts.
  label?: (parts: string) => string;
  // The words beside the signs, where there is room.
  long?: boolean;
}

export function StateStrip({ counts, label, long }: Props) {
  const states = useWords(stateWords);
  const w = useWords(words);
  const parts = kParts.map(([state, look, sign]) => ({ state, look, sign, count: counts[state] ?? 0 })).filter((one) => one.count > 0);
  const said = listed(parts.map((one) => w.some(amount(one.count), states[one.state])));
  return (
    <span class={long ? 'state-strip long' : 'state-strip'} title={said}>
      <span class="strip-bar" role="img" aria-label={label ? label(said) : said}>
        {parts.map((one) => <span key={one.state} class={`strip-part ${one.look}`} style={{ flexGrow: one.count }} />)}
      </span>
      <span class="strip-words" aria-hidden="true">
        {parts.map((one) => <span key={one.state} class={`strip-count number ${one.look}`}>{one.sign} {long ? w.some(amount(one.count), states[one.state]) : amount(one.count)}</span>)}
      </span>
    </span>
  );
}
