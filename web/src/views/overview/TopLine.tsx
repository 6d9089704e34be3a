// The first line: what one wants to know before anything else.
import type { Machine } from '../../api/machine';
import { useNarrow } from '../../app/narrow';
import { useSession } from '../../app/session';
import { Told } from '../../parts/Told';
import { amount, duration, moment, momentExact, secondsUntil } from '../../words/figures';
import { useWords } from '../../words/words';
import { isFree, managed, nextStart, waitingOf } from './figures';
import { words } from './words';

export function TopLine({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const { who } = useSession();
  const cards = managed(machine.cards);
  const free = cards.filter(isFree).length;
  const waiting = machine.counts ? machine.counts.queued + machine.counts.held : null;
  const me = who?.user ?? '';
  const mine = waitingOf(machine, me);
  const next = nextStart(machine, me);
  const until = secondsUntil(next?.estimated_start);
  const wrong = machine.alarms.length + machine.problems.length;
  const worst = machine.alarms.some((one) => one.severity === 'critical') ? 'bad' : wrong > 0 ? 'warn' : 'good';
  return (
    <section class="top-line" aria-label={w.now}>
      <Told told={w.freeTold} class="top-figure">
        <span class="top-name">{w.freeCards}</span>
        <span class="top-value figure-value" data-figure="free">{machine.counts ? w.freeOf(free, cards.length) : '–'}</span>
      </Told>
      <Told told={w.waitingTold} class="top-figure">
        <span class="top-name">{w.waitingNow}</span>
        <span class="top-value figure-value" data-figure="waiting">{waiting === null ? '–' : amount(waiting)}</span>
        {mine.count > 0 && <span class="top-more">{w.waitingMine(mine.whole ? amount(mine.count) : w.atLeast(amount(mine.count)))}</span>}
      </Told>
      <Told
        class="top-figure"
        told={!next ? (mine.count > 0 ? w.notSinglyTold : w.nothingMineTold) : next.estimated_start ? w.startTold(next.id, momentExact(next.estimated_start), null) : w.startUnknownTold(next.id, next.start_unknown ?? next.reason ?? w.unknown)}
      >
        <span class="top-name">{w.myStart}</span>
        <span class="top-value figure-value" data-figure="next">{!next ? '–' : until === null ? w.unknownStart : until < 5 ? w.anyMoment : w.inTime(duration(until))}</span>
        <span class="top-more">{!next ? (mine.count > 0 ? w.notSingly : w.nothingMine) : until === null ? `#${next.id}` : `#${next.id} · ${moment(next.estimated_start)}`}</span>
      </Told>
      <Told told={w.problemsTold} class={`top-figure ${worst}`}>
        <span class="top-name">{w.toSee}</span>
        <span class="top-value figure-value" data-figure="problems"><span aria-hidden="true">{wrong > 0 ? '! ' : '✓ '}</span>{wrong > 0 ? amount(wrong) : w.nothingWrong}</span>
      </Told>
    </section>
  );
}

// What is wrong, in words, right under the line that counts it; the worst first, the rest one click
// away.
export function Problems({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const most = useNarrow() ? 2 : 3;
  const alarms = machine.alarms.slice(0, most);
  const problems = machine.problems.slice(0, Math.max(1, most - alarms.length));
  const rest = machine.alarms.length + machine.problems.length - alarms.length - problems.length;
  if (machine.alarms.length + machine.problems.length + machine.missing === 0) return null;
  return (
    <ul class="problems" aria-label={w.toSee}>
      {machine.missing > 0 && <li class="warn"><span aria-hidden="true">!</span> <span>{w.missingCards(machine.missing)}</span></li>}
      {alarms.map((one) => (
        <li key={`${one.rule} ${one.subject}`} class={one.severity === 'critical' ? 'bad' : 'warn'}>
          <span aria-hidden="true">{one.severity === 'critical' ? '✕' : '!'}</span>
          <span class="problem-text name">{one.what} <small>{moment(one.since)}{one.advice ? ` · ${one.advice}` : ''}</small></span>
        </li>
      ))}
      {problems.map((one) => (
        <li key={one} class="warn"><span aria-hidden="true">!</span> <span class="problem-text name">{one}</span></li>
      ))}
      {rest > 0 && <li class="rest"><a href="#/people/alarms">{w.moreAlarms(rest)}</a></li>}
    </ul>
  );
}
