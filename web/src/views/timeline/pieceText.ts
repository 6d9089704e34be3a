// One entry of the timeline in words: for the card beside the pointer, the buttons and the table.
import { causeText } from '../../words/causes';
import { clauses } from '../../words/marks';
import { duration, moment } from '../../words/figures';
import { mechanismText } from '../../words/mechanisms';
import { wordsNow } from '../../words/words';
import { stateWords } from '../../parts/StateMark';
import type { Piece } from './layout';
import { words } from './words';

export function whatText(piece: Piece): string {
  const w = wordsNow(words);
  if (piece.what === 'run' && piece.kind === 'past') return w.did_run;
  if (piece.what === 'run' && piece.kind === 'coming') return w.kindComing;
  return w[`what_${piece.what}`];
}
export function beginText(piece: Piece): string {
  const w = wordsNow(words);
  return piece.latestFrom === null ? moment(piece.from) : w.between(moment(piece.from), moment(piece.latestFrom));
}
export function endText(piece: Piece): string {
  const w = wordsNow(words);
  if (piece.kind === 'now') return w.now;
  if (piece.endless) return w.endUnknown;
  return piece.latest === null ? moment(piece.until) : w.between(moment(piece.until), moment(piece.latest));
}
export function timesText(piece: Piece): string {
  const w = wordsNow(words);
  if (piece.kind === 'now') return `${w.untilNow(moment(piece.from))} (${duration((piece.until - piece.from) / 1000)})`;
  if (piece.kind === 'coming') {
    const ends = piece.endless ? w.endUnknown : w.endsAt(endText(piece));
    return piece.what === 'start' || piece.what === 'return' ? `${w.startsAt(beginText(piece))}, ${ends}` : ends;
  }
  return `${w.times(moment(piece.from), moment(piece.until))} (${duration((piece.until - piece.from) / 1000)})`;
}
export function whyText(piece: Piece): string {
  const w = wordsNow(words);
  return clauses([piece.forJob === null ? '' : w.forJob(piece.forJob), piece.mechanism ? mechanismText(piece.mechanism) : '', piece.cause ? w.cause(causeText(piece.cause)) : '']);
}
export function stateText(piece: Piece): string {
  if (piece.state === 'requeued') return wordsNow(words).requeued;
  return (wordsNow(stateWords) as Record<string, string>)[piece.state] ?? piece.state;
}
export function pieceText(piece: Piece): string {
  const w = wordsNow(words);
  return [`#${piece.job} ${piece.name ?? ''}`.trim(), piece.user, w.card(piece.card), whatText(piece), timesText(piece), whyText(piece)].filter(Boolean).join(', ');
}
