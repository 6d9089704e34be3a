// Who waits, in the order in which they would start, and why.
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import { type Explanation, get } from '../../api/client';
import type { Machine } from '../../api/machine';
import { type QueueRow as Row, rowKey } from '../../api/queue';
import { useKeys } from '../../app/keys';
import { useNarrow } from '../../app/narrow';
import { may, useSession } from '../../app/session';
import { type Action, ActionDialog } from '../../parts/ActionDialog';
import { verbWords } from '../../parts/verbs';
import { VirtualList } from '../../parts/VirtualList';
import { amount } from '../../words/figures';
import { useWords } from '../../words/words';
import { QueueRow } from './QueueRow';
import { useSteady } from './steady';
import { words } from './words';

type Show = 'all' | 'first' | 'mine';
const kKept = 'gpusched.queue';
const kHigh = { wide: 52, narrow: 130 };
// On a phone the rest of the page would be far below a long queue.
const kFirst = 8;

export function Queue({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const v = useWords(verbWords);
  const { who } = useSession();
  const narrow = useNarrow();
  const high = narrow ? kHigh.narrow : kHigh.wide;
  const [show, setShow] = useState<Show>((localStorage.getItem(kKept) as Show | null) ?? 'all');
  const [action, setAction] = useState<Action | null>(null);
  const [explained, explain] = useState<ReadonlyMap<number, Explanation>>(new Map());
  const place = useRef<HTMLDivElement>(null);
  const sweeps = useMemo(() => new Map(machine.sweeps.map((one) => [one.id, one])), [machine.sweeps]);
  const userOf = (row: Row) => (row.kind === 'sweep' ? sweeps.get(row.id)?.user : machine.jobs.get(row.id)?.user) ?? '';
  const isMine = (row: Row) => who !== null && userOf(row) === who.user;
  const rows = useMemo(() => {
    if (show === 'all') return machine.queue;
    const mine = machine.queue.filter(isMine);
    return show === 'mine' ? mine : [...mine, ...machine.queue.filter((row) => !isMine(row))];
  }, [machine.queue, show, sweeps, who]);
  // To mark one's own says something only among others.
  const mixed = rows.some((row) => !isMine(row));
  const [whole, setWhole] = useState(false);
  const some = useMemo(() => (narrow && !whole ? rows.slice(0, kFirst) : rows), [rows, narrow, whole]);
  const steady = useSteady(some, rowKey);
  const waiting = machine.counts ? machine.counts.queued + machine.counts.held : 0;

  // The exact range of a start is asked for only where somebody looks.
  const asking = useRef(0);
  const ask = (row: Row) => {
    window.clearTimeout(asking.current);
    if (row.kind !== 'job') return;
    asking.current = window.setTimeout(() => {
      get<Explanation>(`/v1/jobs/${row.id}/explain`).then(
        (answer) => explain((last) => new Map([...last].slice(-50)).set(row.id, answer)),
        () => undefined,
      );
    }, 300);
  };
  const choose = (next: Show) => {
    localStorage.setItem(kKept, next);
    setShow(next);
    steady.show();
  };
  const selector = (row: Row) => {
    const sweep = row.kind === 'sweep' ? sweeps.get(row.id) : undefined;
    return sweep ? `${sweep.first}-${sweep.last}` : String(row.id);
  };
  const cancel = (row: Row) => setAction({ title: v.cancel, method: 'POST', path: `/v1/jobs/${selector(row)}/cancel`, danger: true, about: v.aboutCancel });
  const hold = (row: Row) => {
    const sweep = sweeps.get(row.id);
    const held = row.kind === 'sweep' ? sweep !== undefined && sweep.counts.queued === 0 : machine.jobs.get(row.id)?.state === 'held';
    setAction({ title: held ? v.release : v.hold, method: 'POST', path: `/v1/jobs/${selector(row)}/${held ? 'release' : 'hold'}`, about: held ? v.aboutRelease : v.aboutHold });
  };
  // Rows are drawn again only when they change, so what they call stays the same.
  const doing = useRef({ cancel, hold });
  doing.current = { cancel, hold };
  const cancelRow = useCallback((row: Row) => doing.current.cancel(row), []);
  const holdRow = useCallback((row: Row) => doing.current.hold(row), []);
  const current = (): number => {
    const at = document.activeElement?.closest('[data-row]')?.getAttribute('data-row');
    return at ? steady.rows.findIndex((row) => rowKey(row) === at) : -1;
  };
  // A row that is not in the document yet is scrolled to first.
  const goTo = (index: number) => {
    const row = steady.rows[index];
    const list = place.current?.querySelector('[role=rowgroup]:last-child');
    if (!row || !list) return;
    const top = list.getBoundingClientRect().top + index * high;
    if (top < 80 || top + high > window.innerHeight - 80) window.scrollBy(0, top - window.innerHeight / 2);
    let tries = 0;
    const focus = () => {
      const link = place.current?.querySelector<HTMLElement>(`[data-row="${rowKey(row)}"] .queue-link`);
      if (link) link.focus({ preventScroll: true });
      else if (tries++ < 10) window.requestAnimationFrame(focus);
    };
    focus();
  };
  const move = (by: number) => {
    const at = current();
    goTo(at < 0 ? 0 : Math.min(steady.rows.length - 1, Math.max(0, at + by)));
  };
  const withCurrent = (then: (row: Row) => void) => () => {
    const row = steady.rows[current()];
    if (row && may(who, 'steer_job', userOf(row))) then(row);
  };
  useKeys([
    { key: 'j', what: w.keyDown, act: () => move(1) },
    { key: 'k', what: w.keyUp, act: () => move(-1) },
    { key: 'c', what: w.keyCancel, act: withCurrent(cancel) },
    { key: 'h', what: w.keyHold, act: withCurrent(hold) },
  ]);
  return (
    <section class="panel queue" aria-label={w.queue}>
      <div class="row apart panel-head">
        <h2>{w.queue} <span class="quiet panel-note">{w.queueNote}</span></h2>
        <div class="row">
          <button class={`changes ${steady.changes === 0 ? 'none' : ''}`} disabled={steady.changes === 0} onClick={steady.show} title={w.changesTold}>{w.changes(steady.changes)}</button>
          <select aria-label={w.show} value={show} onChange={(event) => choose(event.currentTarget.value as Show)}>
            <option value="all">{w.showAll}</option>
            <option value="first">{w.showFirst}</option>
            <option value="mine">{w.showMine}</option>
          </select>
        </div>
      </div>
      {steady.rows.length === 0 ? (
        <div class="queue-empty">
          <p>{show === 'mine' && machine.queue.length > 0 ? w.noneMine : w.emptyQueue}</p>
          {machine.queue.length === 0 && <p class="quiet">{w.emptyHelp} <a href="#/submit">{w.submitOne}</a></p>}
        </div>
      ) : (
        <div
          ref={place}
          {...steady.hold}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
            event.preventDefault();
            move(event.key === 'ArrowDown' ? 1 : -1);
          }}
        >
          <VirtualList
            rows={steady.rows}
            height={high}
            label={w.queue}
            keyOf={rowKey}
            head={
              <div role="rowgroup">
                <div role="row" aria-rowindex={1} class="queue-row queue-heads">
                  <span role="columnheader" class="queue-place"><span class="hidden-words">{w.place}</span><span aria-hidden="true">#</span></span>
                  <span role="columnheader" class="queue-job">{w.job}</span>
                  <span role="columnheader" class="queue-need">{w.need}</span>
                  <span role="columnheader" class="queue-why">{w.why}</span>
                  <span role="columnheader" class="queue-start">{w.start}</span>
                  <span role="columnheader" class="queue-act"><span class="hidden-words">{w.act}</span></span>
                </div>
              </div>
            }
            row={(row) => (
              <div class="queue-hit" role="presentation" onPointerEnter={() => ask(row)} onFocusIn={() => ask(row)}>
                <QueueRow row={row} job={machine.jobs.get(row.id)} sweep={sweeps.get(row.id)} explanation={explained.get(row.id)} mine={mixed && isMine(row)} mayAct={may(who, 'steer_job', userOf(row))} cancel={cancelRow} hold={holdRow} />
              </div>
            )}
          />
        </div>
      )}
      {narrow && rows.length > kFirst && (
        <button onClick={() => { setWhole(!whole); steady.show(); }}>{whole ? w.showLess : w.showRest(amount(rows.length - kFirst))}</button>
      )}
      {waiting > 0 && <p class="queue-all"><a href="#/jobs?state=waiting">{w.allWaiting(amount(waiting))}</a></p>}
      {action && <ActionDialog action={action} close={() => setAction(null)} done={steady.show} />}
    </section>
  );
}
