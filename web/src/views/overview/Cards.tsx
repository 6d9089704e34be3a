// All cards.
import { useCallback, useRef, useState } from 'preact/hooks';
import type { Card, Job, Schemas } from '../../api/client';
import type { Machine } from '../../api/machine';
import { useAnswer } from '../../api/useAnswer';
import { useWords } from '../../words/words';
import { CardSheet } from './CardSheet';
import { CardTile, type Series } from './CardTile';
import { sizeFor } from './figures';
import { words } from './words';

const kHistoryEvery = 30_000;

const kNoSeries: Series = {};

// The rows of the jobs on a card; the same map as long as they are the same.
function useJobsOf(): (card: Card, jobs: ReadonlyMap<number, Job>) => ReadonlyMap<number, Job> {
  const kept = useRef(new Map<string, Map<number, Job>>());
  return (card, jobs) => {
    const now = new Map<number, Job>();
    for (const id of [...card.jobs, ...(card.processes ?? []).map((one) => one.job ?? -1)]) {
      const job = jobs.get(id);
      if (job) now.set(id, job);
    }
    const last = kept.current.get(card.uuid);
    if (last && last.size === now.size && [...now].every(([id, job]) => last.get(id) === job)) return last;
    kept.current.set(card.uuid, now);
    return now;
  };
}

export function Cards({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const history = useAnswer<Schemas['CardHistory']>('/v1/gpus/history?range=1h&points=60', kHistoryEvery);
  const [opened, setOpened] = useState<string | null>(null);
  const seriesOf = (uuid: string): Series => history.value?.cards.find((one) => one.uuid === uuid)?.series ?? kNoSeries;
  const jobsOf = useJobsOf();
  const open = useCallback((card: Card) => setOpened(card.uuid), []);
  const size = sizeFor(machine.cards.length);
  const sheet = machine.cards.find((card) => card.uuid === opened);
  return (
    <section aria-label={w.cards}>
      <h2 class="hidden-words">{w.cards}</h2>
      {machine.cards.length === 0 && machine.counts && <div class="panel"><p>{w.noCards}</p><p class="quiet">{w.noCardsHelp}</p></div>}
      <div class={`card-grid ${size}`}>
        {machine.cards.map((card) => (
          <CardTile key={card.uuid} card={card} jobs={jobsOf(card, machine.jobs)} series={seriesOf(card.uuid)} size={size} open={open} />
        ))}
      </div>
      {sheet && <CardSheet card={sheet} jobs={machine.jobs} series={seriesOf(sheet.uuid)} close={() => setOpened(null)} />}
    </section>
  );
}
