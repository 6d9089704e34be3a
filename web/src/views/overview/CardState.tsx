// In what state a card is: a sign, a word, and the reason in words.
import type { Card } from '../../api/client';
import { Told } from '../../parts/Told';
import { moment } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

const kSigns: Record<Card['state'], [string, string]> = {
  ok: ['✓', 'good'],
  unknown: ['?', 'warn'],
  asleep: ['☾', 'wait'],
  gone: ['✕', 'bad'],
  drained: ['‖', 'warn'],
  ignored: ['–', 'wait'],
};

export function CardState({ card }: { card: Card }) {
  const w = useWords(words);
  const [sign, look] = kSigns[card.state] ?? ['?', 'warn'];
  const what = w[`stateTold_${card.state}`];
  const by = card.drained_by ? ` (${w.drainedBy(card.drained_by, moment(card.drained_at))})` : '';
  return (
    <span class="card-state">
      <Told stop={false} told={(card.reason ? w.because(what, card.reason) : what) + by}>
        <span class={`state-mark ${look}`}><span aria-hidden="true">{sign}</span> <span class="state-word">{w[`state_${card.state}`]}</span></span>
      </Told>
    </span>
  );
}
// Said on the tile itself when the card is not in order.
export function CardTrouble({ card }: { card: Card }) {
  const w = useWords(words);
  if (card.state === 'ok') return null;
  return <p class="card-trouble name">{card.reason ?? w[`stateTold_${card.state}`]}</p>;
}
