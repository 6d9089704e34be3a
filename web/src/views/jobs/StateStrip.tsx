// How the jobs of a sweep stand: a strip in proportion, and the same in words.
import type { Counts } from '../../api/client';
import { useWords } from '../../words/words';
import { words } from './words';

const kParts = [
  ['failed', 'bad', 'countFailed', '✕'],
  ['running', 'run', 'countRunning', '▶'],
  ['paused', 'aside', 'countAside', '⇄'],
  ['queued', 'wait', 'countWaiting', '○'],
  ['completed', 'good', 'countDone', '✓'],
  ['cancelled', 'off', 'countCancelled', '■'],
] as const;

export function countsOf(counts: Counts): Record<(typeof kParts)[number][0], number> {
  const all = counts as unknown as Record<string, number | undefined>;
  const of = (name: string) => all[name] ?? 0;
  return { failed: of('failed'), running: of('running') + of('starting'), paused: of('paused'), queued: of('queued') + of('held'), completed: of('completed'), cancelled: of('cancelled') };
}

export function StateStrip({ counts, long }: { counts: Counts; long?: boolean }) {
  const w = useWords(words);
  const all = countsOf(counts);
  const there = kParts.filter(([name]) => all[name] > 0);
  const said = there.map(([name, , word]) => w[word](all[name]));
  return (
    <span class="state-strip" title={said.join(', ')}>
      <span class="strip" aria-hidden="true">
        {there.map(([name, look]) => <span key={name} class={`strip-${look}`} style={{ flexGrow: all[name] }} />)}
      </span>
      <span class="strip-words">
        {long ? said.join(' · ') : there.map(([name, , word, sign]) => <span key={name}><span aria-hidden="true">{sign}{all[name]} </span><span class="hidden-words">{w[word](all[name])} </span></span>)}
      </span>
    </span>
  );
}
