// What moves and stretches the picture, as buttons.
import { useWords } from '../../words/words';
import { kDay, kHour } from './range';
import { words } from './words';

interface Props {
  span: number;
  follows: boolean;
  table: boolean;
  cards: number[];
  card: number | null;
  show: (span: number) => void;
  zoom: (factor: number) => void;
  shift: (part: number) => void;
  toNow: () => void;
  asTable: () => void;
  choose: (card: number | null) => void;
}
export function Controls({ span, follows, table, cards, card, show, zoom, shift, toNow, asTable, choose }: Props) {
  const w = useWords(words);
  const spans: [number, string][] = [[kHour, w.span1h], [6 * kHour, w.span6h], [kDay, w.span24h], [7 * kDay, w.span7d]];
  return (
    <div class="controls row">
      <div class="row joined" role="group" aria-label={w.from}>
        <button aria-label={w.earlier} title={w.earlier} onClick={() => shift(-0.5)}>‹</button>
        <button aria-pressed={follows} title={w.nowTold} onClick={toNow}>{w.now}</button>
        <button aria-label={w.later} title={w.later} onClick={() => shift(0.5)}>›</button>
      </div>
      <div class="row joined" role="group" aria-label={w.title}>
        {spans.map(([one, name]) => <button key={one} aria-pressed={Math.abs(span / one - 1) < 0.02} title={w.spanTold(name)} onClick={() => show(one)}>{name}</button>)}
      </div>
      <div class="row joined" role="group" aria-label={`${w.zoomIn}, ${w.zoomOut}`}>
        <button aria-label={w.zoomIn} title={w.zoomIn} onClick={() => zoom(0.6)}>+</button>
        <button aria-label={w.zoomOut} title={w.zoomOut} onClick={() => zoom(1 / 0.6)}>−</button>
      </div>
      <select aria-label={w.whichCards} value={card ?? ''} onChange={(event) => choose(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}>
        <option value="">{w.allCards}</option>
        {cards.map((one) => <option key={one} value={one}>{w.card(one)}</option>)}
      </select>
      <button aria-pressed={table} onClick={asTable}>{table ? w.asChart : w.asTable}</button>
    </div>
  );
}
