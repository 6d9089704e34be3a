// All jobs: filtered and sorted by the daemon, folded by sweep, many changed at once.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../../app/App';
import { useKeys } from '../../app/keys';
import { go } from '../../app/route';
import { may, useSession } from '../../app/session';
import { VirtualList } from '../../parts/VirtualList';
import { useMedia } from '../../parts/useMedia';
import { useNow } from '../../parts/useNow';
import { amount } from '../../words/figures';
import { useWords } from '../../words/words';
import { FilterBar } from './FilterBar';
import { HeadRow } from './HeadRow';
import { ManyActions } from './ManyActions';
import { Row } from './Row';
import { addressOf, type Filters, filtersOf, narrowed } from './filters';
import { type Line, keyOf } from './lines';
import { useListing } from './useListing';
import { useSelection } from './useSelection';
import { words } from './words';
import './jobs.css';

export function Jobs({ route }: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const text = route.query.toString();
  const filters = useMemo(() => filtersOf(route.query), [text]);
  const narrow = useMedia('(max-width: 760px)');
  const now = useNow();
  const box = useRef<HTMLDivElement>(null);
  const over = useRef(false);
  const busyReading = useRef(false);
  // Whoever points at a row, or is in the middle of the list, keeps it as it is.
  const calm = useCallback(() => !over.current && !busyReading.current && window.scrollY < 240 && !box.current?.contains(document.activeElement), []);
  const listing = useListing(filters, who?.user ?? '', calm);
  const selection = useSelection(listing.lines, filters);
  busyReading.current = selection.selected !== null;
  useEffect(() => selection.clear(), [text]);
  const set = (change: Partial<Filters>) => go(addressOf({ ...filters, ...change }), true);
  const keys = useRowKeys(listing.lines, selection.toggle, narrow);
  const mayChange = may(who, 'steer_job');

  const toggle = useRef(selection.toggle);
  toggle.current = selection.toggle;
  const row = (line: Line) => {
    const goesOn = line.kind === 'job' && line.job.ended_at === null;
    return <Row line={line} now={goesOn ? now : 0} selected={selection.has(line)} current={keys.current === keyOf(line)} select={(range) => toggle.current(line, range)} />;
  };
  const empty = !listing.loading && listing.lines.length === 0 && !listing.fault;
  return (
    <div class="jobs">
      <div class="row apart">
        <h1>{w.title}</h1>
        {may(who, 'act') && <a class="button" href="#/submit">{w.submit}</a>}
      </div>
      <FilterBar filters={filters} set={set} clear={() => go(addressOf({ ...filtersOf(new URLSearchParams()), sort: filters.sort, down: filters.down }), true)} openJob={(id) => go(`#/job/${id}`)} />
      {listing.fault && <p class="bad name" role="alert">{listing.fault}</p>}
      {listing.cut && filters.sort !== 'id' && <p class="warn">{w.cut}</p>}
      <div class="job-status" aria-live="polite">
        {listing.waiting > 0 && <button class="job-changes" onClick={listing.show}>↑ {w.changes(listing.waiting)}</button>}
      </div>
      {empty ? (
        <p class="panel job-empty">{narrowed(filters) ? w.none : w.nothing} {!narrowed(filters) && may(who, 'act') && <a href="#/submit">{w.first}</a>}</p>
      ) : (
        <div ref={box} class="job-table" onPointerEnter={(event) => (over.current = event.pointerType === 'mouse')} onPointerLeave={() => (over.current = false)}>
          <VirtualList
            rows={listing.lines}
            height={narrow ? 84 : 38}
            label={w.title}
            head={<HeadRow filters={filters} set={set} loaded={selection.loaded} takeLoaded={selection.takeLoaded} />}
            row={row}
            keyOf={keyOf}
            nearEnd={listing.more}
          />
        </div>
      )}
      <p class="quiet" aria-live="polite">{listing.loading ? w.loading : `${w.shown(amount(listing.lines.length))}${listing.open ? `. ${w.more}` : ''}`}</p>
      {selection.selected && (
        <ManyActions selected={selection.selected} mayChange={mayChange} takeAll={selection.selected.count !== null && (listing.open || selection.loaded === 'all') ? selection.takeAll : null} clear={selection.clear} />
      )}
    </div>
  );
}

// j and k walk through the rows, x selects. The focus is on the row's link, so Enter opens it.
function useRowKeys(lines: Line[], toggle: (line: Line, range: boolean) => void, narrow: boolean) {
  const w = useWords(words);
  const [current, setCurrent] = useState<string | null>(null);
  const height = narrow ? 84 : 38;
  const step = (by: number) => {
    if (lines.length === 0) return;
    const at = lines.findIndex((one) => keyOf(one) === current);
    const next = Math.max(0, Math.min(lines.length - 1, at < 0 ? 0 : at + by));
    const line = lines[next];
    if (!line) return;
    setCurrent(keyOf(line));
    const group = document.querySelector('.job-table .virtual > [role="rowgroup"]:last-child');
    const top = (group?.getBoundingClientRect().top ?? 0) + next * height;
    if (top < 120 || top > window.innerHeight - 120) window.scrollBy(0, top - window.innerHeight / 2);
    // After the list has drawn the rows of the new place.
    window.requestAnimationFrame(() => window.requestAnimationFrame(() => document.querySelector<HTMLElement>(`.job-table [data-line="${line.id}"]`)?.focus({ preventScroll: true })));
  };
  useKeys([
    { key: 'j', what: w.keyNext, act: () => step(1) },
    { key: 'k', what: w.keyBefore, act: () => step(-1) },
    {
      key: 'x',
      what: w.keySelect,
      act: () => {
        const line = lines.find((one) => keyOf(one) === current);
        if (line) toggle(line, false);
      },
    },
    {
      key: 'Enter',
      what: w.keyOpen,
      act: () => {
        // What has the focus is meant, where something has it.
        const focused = document.activeElement;
        if (focused instanceof HTMLElement && focused !== document.body && focused.tagName !== 'MAIN') return focused.click();
        const line = lines.find((one) => keyOf(one) === current);
        if (line) go(line.kind === 'job' ? `#/job/${line.id}` : `#/sweep/${line.id}`);
      },
    },
    { key: '/', what: w.keySearch, act: () => document.querySelector<HTMLInputElement>('[data-filter="name"]')?.focus() },
  ]);
  return { current };
}
