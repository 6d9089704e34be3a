// All cards.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import type { Machine } from '../../api/machine';
import { useAnswer } from '../../api/useAnswer';
import { useWords } from '../../words/words';
import { CardSheet } from './CardSheet';
import { CardTile, type Series } from './CardTile';
import { sizeFor } from './figures';
import { words } from './words';

const kHistoryEvery = 30_000;

export function Cards({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const history = useAnswer<Schemas['CardHistory']>('/v1/gpus/history?range=1h&points=60', kHistoryEvery);
  const [opened, setOpened] = useState<string | null>(null);
  const seriesOf = (uuid: string): Series => history.value?.cards.find((one) => one.uuid === uuid)?.series ?? {};
  const size = sizeFor(machine.cards.length);
  const sheet = machine.cards.find((card) => card.uuid === opened);
  return (
    <section aria-label={w.cards}>
      <h2 class="hidden-words">{w.cards}</h2>
      {machine.cards.length === 0 && machine.counts && <div class="panel"><p>{w.noCards}</p><p class="quiet">{w.noCardsHelp}</p></div>}
      <div class={`card-grid ${size}`}>
        {machine.cards.map((card) => (
          <CardTile key={card.uuid} card={card} jobs={machine.jobs} series={seriesOf(card.uuid)} size={size} open={() => setOpened(card.uuid)} />
        ))}
      </div>
      {sheet && <CardSheet card={sheet} jobs={machine.jobs} series={seriesOf(sheet.uuid)} close={() => setOpened(null)} />}
    </section>
  );
}
