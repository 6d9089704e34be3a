// Who was where, and who is expected where: the past as it was, the future as the scheduler expects
// it, and any moment of the past as a whole.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { target } from '../../api/client';
import { useMachine } from '../../api/machine';
import { type TimelineAnswer, isMissingRoute, useKept } from '../../api/timeline';
import type { ViewProps } from '../../app/App';
import { useKeys } from '../../app/keys';
import { go, hrefOf } from '../../app/route';
import { say } from '../../parts/Notices';
import { moment, momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import { Chart } from './Chart';
import { Controls } from './Controls';
import { layoutOf } from './layout';
import { Legend } from './Legend';
import { MomentPanel } from './MomentPanel';
import { type Range, around, asked, containing, moved, readRange, readTime, usual, writeTime, zoomed } from './range';
import { Scrubber } from './Scrubber';
import { TimeTable } from './TimeTable';
import { words } from './words';
import './timeline.css';

const kRefreshEvery = 20_000;
const kTick = 5_000;
const kNewsEvery = 3_000;
const kWriteAfter = 300;

export function Timeline({ route }: ViewProps) {
  const w = useWords(words);
  const machine = useMachine();
  const { query } = route;
  const [now, setNow] = useState(Date.now());
  // Someone who follows now sees it move; the address has no times then.
  const [fixed, setFixed] = useState<Range | null>(() => readRange(query.get('from'), query.get('until'), Date.now()));
  const [width, setWidth] = useState<number | null>(null);
  const at = readTime(query.get('at'), now);
  const card = query.get('card') === null ? null : Number(query.get('card'));
  const job = query.get('job') === null ? null : Number(query.get('job'));
  const table = query.get('as') === 'table';
  const [knownSince, setKnownSince] = useState<number | null>(null);
  const range = fixed ?? (width === null ? usual(now, knownSince) : around(now, width));

  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), kTick);
    return () => window.clearInterval(timer);
  }, []);
  const write = (more: Record<string, string | number | undefined>, next: Range | null = fixed) =>
    go(
      hrefOf('timeline', {
        at: at === null ? undefined : writeTime(at),
        from: next ? writeTime(next.from) : undefined,
        until: next ? writeTime(next.until) : undefined,
        card: card ?? undefined,
        job: job ?? undefined,
        as: table ? 'table' : undefined,
        ...more,
      }),
      true,
    );
  // While one drags, the address is left alone: it is written when the hand rests.
  const writing = useRef(0);
  const setRange = (next: Range) => {
    setFixed(next);
    window.clearTimeout(writing.current);
    writing.current = window.setTimeout(() => latest.current({}, next), kWriteAfter);
  };
  const latest = useRef(write);
  latest.current = write;
  useEffect(() => () => window.clearTimeout(writing.current), []);
  // The address was changed by hand, or by going back.
  const given = `${query.get('from') ?? ''} ${query.get('until') ?? ''}`;
  useEffect(() => {
    const told = readRange(query.get('from'), query.get('until'), Date.now());
    if (told) setFixed((last) => (last && Math.abs(last.from - told.from) < 2000 && Math.abs(last.until - told.until) < 2000 ? last : told));
  }, [given]);
  useEffect(() => {
    if (at !== null && fixed === null && (at < range.from || at > range.until)) setFixed(containing(range, at));
  }, []);

  const toNow = () => {
    window.clearTimeout(writing.current);
    setFixed(null);
    setNow(Date.now());
    write({ at: undefined, job: undefined }, null);
  };
  const show = (span: number) => {
    if (at !== null) setRange({ from: at - span / 2, until: at + span / 2 });
    else {
      window.clearTimeout(writing.current);
      setWidth(span);
      setFixed(null);
      write({}, null);
    }
  };
  const choose = (time: number) => {
    if (time >= Date.now()) {
      say(w.future);
      return;
    }
    window.clearTimeout(writing.current);
    const next = containing(range, time);
    setFixed(next);
    write({ at: writeTime(time) }, next);
  };
  const zoom = (factor: number) => setRange(zoomed(range, factor, at ?? (fixed === null ? now : (range.from + range.until) / 2)));
  useKeys([
    { key: '+', what: w.keyIn, act: () => zoom(0.6) },
    { key: '-', what: w.keyOut, act: () => zoom(1 / 0.6) },
    { key: 'n', what: w.keyNow, act: toNow },
    { key: 'v', what: w.keyTable, act: () => write({ as: table ? undefined : 'table' }) },
    { key: '← →', what: w.keyMove, act: () => undefined },
  ]);

  const want = asked(range);
  // What just happened is on the picture soon, and not asked for with every event.
  const news = Math.floor((machine.happenings[0]?.at ?? 0) / kNewsEvery);
  const { value, fault, busy } = useKept<TimelineAnswer>(target('/v1/timeline', { from: writeTime(want.from), until: writeTime(want.until), card }), kRefreshEvery, news);
  const known = value?.known_since ?? null;
  useEffect(() => setKnownSince(known === null ? null : Date.parse(known)), [known]);
  const cards = machine.cards.map((one) => one.number);
  const layout = useMemo(() => (value ? layoutOf(value, cards, card) : null), [value, cards.join(), card]);
  const names = machine.cards.map((one) => `${one.number} ${one.alias ?? one.model}`).join('\n');
  const nameOf = useMemo(() => {
    const known = new Map(machine.cards.map((one) => [one.number, one.alias ?? one.model]));
    return (number: number) => known.get(number) ?? null;
  }, [names]);
  // The picture is drawn again only when something on it changed.
  const doing = useRef({ setRange, choose });
  doing.current = { setRange, choose };
  const onRange = useCallback((next: Range) => doing.current.setRange(next), []);
  const onChoose = useCallback((time: number) => doing.current.choose(time), []);
  const shown = useMemo(() => ({ from: range.from, until: range.until }), [range.from, range.until]);
  const copy = () => {
    // Without a secure connection there is no clipboard; the address of the browser has the moment too.
    void (navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error())).then(
      () => say(w.copied),
      () => say(location.href),
    );
  };
  return (
    <div class="timeline">
      <div class="row apart timeline-head">
        <h1>{w.title} <span class="quiet panel-note number">{moment(range.from)} – {moment(range.until)}</span></h1>
        <Controls span={range.until - range.from} follows={fixed === null && at === null} table={table} cards={cards} card={card} show={show} zoom={zoom} shift={(part) => setRange(moved(range, part * (range.until - range.from)))} toNow={toNow} asTable={() => write({ as: table ? undefined : 'table' })} choose={(one) => write({ card: one ?? undefined })} />
      </div>
      {fault && <p class="panel name" role="status">{isMissingRoute(fault) ? w.tooOld : w.fault(fault.message)}</p>}
      {!value && !fault && <div class="panel timeline-empty" aria-busy="true"><p class="quiet">{w.loading}</p></div>}
      {value && layout && (
        <section class="panel timeline-panel" aria-busy={busy} aria-label={w.title}>
          {table ? <TimeTable layout={layout} answer={value} range={range} /> : <Chart answer={value} layout={layout} range={shown} now={Math.max(now, layout.now)} at={at} setRange={onRange} choose={onChoose} nameOf={nameOf} />}
          {!table && <Scrubber range={range} now={now} at={at} choose={choose} />}
          {!table && <Legend />}
          {value.left_out > 0 && <p class="quiet">{w.leftOut(value.left_out)}</p>}
          {value.known_since && Date.parse(value.known_since) > range.from && <p class="quiet">{w.knownSince(momentExact(value.known_since))}</p>}
        </section>
      )}
      {at !== null && at < now && <MomentPanel at={at} job={job} askJob={(one) => write({ job: one ?? undefined })} back={toNow} copy={copy} />}
      {at === null && value && <p class="quiet">{w.pastNote}</p>}
    </div>
  );
}
