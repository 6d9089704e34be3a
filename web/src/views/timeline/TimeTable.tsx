// The same as the picture, as a table.
import type { TimelineAnswer } from '../../api/timeline';
import { Owner } from '../../parts/Owner';
import { bytes, moment, momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import type { Layout, Piece } from './layout';
import { beginText, endText, stateText, whatText, whyText } from './pieceText';
import type { Range } from './range';
import { words } from './words';

const kMost = 200;

export function TimeTable({ layout, answer, range }: { layout: Layout; answer: TimelineAnswer; range: Range }) {
  const w = useWords(words);
  const inSight = (piece: Piece) => piece.from < range.until && Math.max(piece.until, piece.latest ?? piece.until) > range.from;
  const one = (piece: Piece) => !(piece.kind === 'coming' && piece.what !== 'start' && piece.what !== 'return');
  const all = layout.lanes.flatMap((lane) => lane.pieces).filter((piece) => inSight(piece) && one(piece)).sort((a, b) => b.from - a.from);
  const rows = all.slice(0, kMost);
  const ends = new Map(answer.ends.map((end) => [end.job, end]));
  const endOf = (piece: Piece) => {
    const end = ends.get(piece.job);
    if (piece.kind !== 'now' || !end?.expected_end) return endText(piece);
    return `${w.kindComing} ${end.latest_end ? w.between(moment(end.expected_end), moment(end.latest_end)) : moment(end.expected_end)}`;
  };
  const cards = new Set(layout.lanes.map((lane) => lane.card));
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={w.asTable}>
      {all.length > rows.length && <p class="quiet">{w.tableNote(rows.length, all.length)}</p>}
      <table class="time-table">
        <thead>
          <tr>{[w.cardHead, w.job, w.owner, w.what, w.begins, w.ends, w.state, w.vram, w.why].map((head) => <th key={head} scope="col">{head}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((piece) => (
            <tr key={piece.key}>
              <td class="number">{piece.card}</td>
              <td class="time-job"><a href={`#/job/${piece.job}`}>#{piece.job}</a> <span class="name"><bdi>{(piece.name ?? '').slice(0, 120)}</bdi></span></td>
              <td><Owner user={piece.user} /></td>
              <td>{whatText(piece)}</td>
              <td class="number" title={momentExact(piece.from)}>{beginText(piece)}</td>
              <td class="number">{endOf(piece)}</td>
              <td>{piece.kind === 'coming' ? '' : stateText(piece)}</td>
              <td class="number">{bytes(piece.vram)}</td>
              <td class="name">{whyText(piece)}</td>
            </tr>
          ))}
          {answer.reservations.map((reserved) => (
            <tr key={`r${reserved.id}`}><td>{reserved.cards.join(', ')}</td><td colSpan={3} class="name">{w.reserved(reserved.name ?? '', reserved.user ?? '')}</td><td class="number">{moment(reserved.from)}</td><td class="number">{moment(reserved.until)}</td><td colSpan={3} /></tr>
          ))}
          {answer.drains.filter((one) => cards.has(one.card)).map((drain) => (
            <tr key={`d${drain.card}${drain.from}`}><td>{drain.card}</td><td colSpan={3} class="name">{w.drained(drain.reason)}</td><td class="number">{moment(drain.from)}</td><td class="number">{drain.until ? moment(drain.until) : w.now}</td><td colSpan={3} /></tr>
          ))}
          {answer.alarms.map((alarm) => (
            <tr key={`a${alarm.rule}${alarm.subject}${alarm.from}`}><td>{alarm.card ?? w.wholeMachine}</td><td colSpan={3} class="name">! {alarm.what}</td><td class="number">{moment(alarm.from)}</td><td class="number">{alarm.until ? moment(alarm.until) : w.now}</td><td colSpan={3} /></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
