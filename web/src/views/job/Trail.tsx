// What happened to the job, each with its time. The newest stands first.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import { moment, momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import { trailWords } from './trailWords';
import { words } from './words';

const kShown = 12;

export function Trail({ trail }: { trail: Schemas['TrailLine'][] }) {
  const w = useWords(words);
  const kinds = useWords(trailWords) as Record<string, string>;
  const [all, setAll] = useState(false);
  const lines = [...trail].reverse().slice(0, all ? 500 : kShown);
  return (
    <section class="panel" aria-label={w.trail}>
      <h2>{w.trail}</h2>
      <ol class="trail" reversed>
        {lines.map((line) => (
          <li key={line.sequence}>
            <time dateTime={line.at} title={momentExact(line.at)} class="number quiet">{moment(line.at)}</time>
            <span class="trail-kind">{kinds[line.kind] ?? line.kind}</span>
            <span class="name">{line.text}</span>
          </li>
        ))}
      </ol>
      {trail.length > kShown && <button class="plain" aria-expanded={all} onClick={() => setAll(!all)}>{all ? w.trailLess : w.trailAll(trail.length)}</button>}
    </section>
  );
}
