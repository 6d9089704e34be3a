// The lines in sight, in a box that scrolls by itself. Where one reads stays where it is when lines
// are added before or after; at the end, while following, the end stays in sight.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { hrefOf } from '../../../app/route';
import { isDark } from '../../../app/theme';
import { useWords } from '../../../words/words';
import { shownColours } from './colour';
import type { LogFeed } from './feed';
import { Rows, marked } from './rows';
import type { Run } from './terminal';
import { words } from './words';

export const kRow = 20;
const kSpare = 10;

export interface Target {
  offset: number;
  turn: number;
  // It stands out: somebody looked for it.
  marked: boolean;
}
interface Props {
  feed: LogFeed;
  version: number;
  wrap: boolean;
  search: string;
  // The line with this byte is shown, and stands out; `turn` asks again for the same one.
  target: Target | null;
  // Whether the end stays in sight; leaving it by scrolling says so.
  stick: boolean;
  leave: () => void;
}

export function LogLines({ feed, version, wrap, search, target, stick, leave }: Props) {
  const w = useWords(words);
  const box = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 400, columns: 100 });
  const [, redraw] = useState(0);
  const anchor = useRef<{ offset: number; by: number } | null>(null);
  const placed = useRef(0);
  const log = feed.window;
  const columns = wrap ? seen.columns : null;
  const rows = useMemo(() => new Rows(log, columns), [log, version, columns]);

  useEffect(() => {
    const place = box.current;
    if (!place) return undefined;
    const measure = () => {
      const width = (ruler.current?.getBoundingClientRect().width ?? 80) / 10;
      const gutter = 80;
      setSeen((last) => ({ ...last, height: place.clientHeight, columns: Math.max(20, Math.floor((place.clientWidth - gutter - 12) / width)) }));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(place);
    const themed = () => redraw((count) => count + 1);
    window.addEventListener('gpusched-theme', themed);
    return () => {
      resized.disconnect();
      window.removeEventListener('gpusched-theme', themed);
    };
  }, []);

  const scrollTo = (top: number) => {
    const place = box.current;
    if (!place) return;
    placed.current = Math.max(0, Math.min(top, rows.count * kRow - place.clientHeight));
    place.scrollTop = placed.current;
    setSeen((last) => ({ ...last, top: placed.current, height: place.clientHeight }));
  };
  // Before the browser paints: the place of the reader in the changed rows.
  useLayoutEffect(() => {
    if (stick) scrollTo(rows.count * kRow);
    else if (anchor.current) scrollTo(rows.rowOf(log.lineAt(anchor.current.offset)) * kRow + anchor.current.by);
  }, [rows, stick]);
  useLayoutEffect(() => {
    if (!target || !log.has(target.offset)) return;
    const row = rows.rowOf(log.lineAt(target.offset));
    // Some lines before it help to understand it; the end is the end.
    scrollTo(target.marked ? (row - 4) * kRow : rows.count * kRow);
    remember();
  }, [target, rows.count > 0 && target ? log.has(target.offset) : false]);

  const remember = () => {
    const place = box.current;
    if (!place || log.lines === 0) return;
    const line = rows.lineOf(Math.min(rows.count - 1, Math.floor(place.scrollTop / kRow)));
    anchor.current = { offset: log.offset(line), by: place.scrollTop - rows.rowOf(line) * kRow };
  };
  const scrolled = () => {
    const place = box.current;
    if (!place) return;
    const byHand = Math.abs(place.scrollTop - placed.current) > 2;
    if (byHand && stick && place.scrollTop + place.clientHeight < place.scrollHeight - 2 * kRow) leave();
    if (byHand) placed.current = place.scrollTop;
    remember();
    setSeen((last) => ({ ...last, top: place.scrollTop, height: place.clientHeight }));
    if (place.scrollTop < 60 * kRow) void feed.before();
    if (place.scrollTop + place.clientHeight > place.scrollHeight - 60 * kRow) void feed.after();
  };

  const from = Math.max(0, Math.floor(seen.top / kRow) - kSpare);
  const to = Math.min(rows.count, Math.ceil((seen.top + seen.height) / kRow) + kSpare);
  const theme = isDark() ? 'dark' : 'light';
  const shown = [];
  for (let row = from; row < to; row += 1) {
    const { line, first, runs } = rows.at(row);
    const offset = log.offset(line);
    const number = log.number(line);
    const hit = target?.marked === true && log.lineAt(target.offset) === line && log.has(target.offset);
    shown.push(
      <div key={row} class={hit ? 'log-line hit' : 'log-line'} style={{ top: `${row * kRow}px` }}>
        {first ? <a class="log-number" tabIndex={-1} aria-label={w.lineLink(String(number ?? offset))} href={linkTo(feed, offset)}>{number ?? '#'}</a> : <span class="log-number" aria-hidden="true">↳</span>}
        <bdi class="log-text" dir="ltr">{marked(runs, search).map((run, i) => <Text key={i} run={run} hit={run.hit} theme={theme} />)}</bdi>
      </div>,
    );
  }
  return (
    <div ref={box} class={wrap ? 'log-box wrap' : 'log-box'} role="region" aria-label={w.region} tabIndex={0} onScroll={scrolled} style={{ maxHeight: `${Math.max(4, rows.count) * kRow + 24}px` }}>
      <span ref={ruler} class="log-ruler" aria-hidden="true">MMMMMMMMMM</span>
      <div class="log-rows" style={{ height: `${rows.count * kRow}px` }}>{shown}</div>
    </div>
  );
}

export function linkTo(feed: LogFeed, offset: number): string {
  const { job, attempt, stream } = feed.name;
  return hrefOf(`job/${job}`, { attempt, stream: stream === 'error' ? 'error' : undefined, at: offset });
}

function Text({ run, hit, theme }: { run: Run; hit: boolean; theme: 'light' | 'dark' }) {
  if (!run.style) return hit ? <mark>{run.text}</mark> : <>{run.text}</>;
  const { style } = run;
  const colours = shownColours(style.fg, style.bg, theme);
  const looks = [style.bold && 'bold', style.italic && 'italic', style.underline && 'underline', style.strike && 'strike'].filter(Boolean).map((one) => `log-${one}`).join(' ');
  if (hit) return <mark class={looks}>{run.text}</mark>;
  return <span class={looks} style={{ ...(colours.color ? { color: colours.color } : {}), ...(colours.background ? { background: colours.background } : {}) }}>{run.text}</span>;
}
