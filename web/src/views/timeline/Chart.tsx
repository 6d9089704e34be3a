// The picture: one canvas for what is seen, real buttons over it for the keyboard and for who hears
// the page. Dragging moves it, the wheel with Ctrl and two fingers stretch it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go } from '../../app/route';
import type { TimelineAnswer } from '../../api/timeline';
import { memo } from '../../parts/memo';
import { moment } from '../../words/figures';
import { useWords } from '../../words/words';
import { Axis } from './Axis';
import { draw, xOf } from './draw';
import { usePan } from './gestures';
import { type Layout, type Piece, pieceAt, topOf } from './layout';
import { type Paint, paintOf } from './paint';
import { PieceCard } from './PieceCard';
import { pieceText } from './pieceText';
import { type Range, moved, ticksOf, zoomed } from './range';
import { words } from './words';

interface Props {
  answer: TimelineAnswer;
  layout: Layout;
  range: Range;
  now: number;
  at: number | null;
  setRange: (next: Range) => void;
  choose: (at: number) => void;
  nameOf: (card: number) => string | null;
}
// So many buttons at most: nearer looks have the others.
const kMostButtons = 120;
const kLeastWide = 3;

export const Chart = memo(function Chart({ answer, layout, range, now, at, setRange, choose, nameOf }: Props) {
  const w = useWords(words);
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(800);
  const [paint, setPaint] = useState<Paint | null>(null);
  const [pointed, point] = useState<{ piece: Piece; x: number; y: number } | null>(null);
  const [pinned, pin] = useState<{ piece: Piece; x: number; y: number } | null>(null);
  const ticks = useMemo(() => ticksOf(range, width), [range.from, range.until, width]);
  const scene = { layout, answer, range, width, ticks, now, at, hovered: (pinned ?? pointed)?.piece.key ?? null, words: { known: w.beforeKnown } };

  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => setWidth(Math.max(160, element.clientWidth));
    const colours = () => setPaint(paintOf(element));
    measure();
    colours();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    window.addEventListener('gpusched-theme', colours);
    return () => {
      resized.disconnect();
      window.removeEventListener('gpusched-theme', colours);
    };
  }, []);
  useEffect(() => {
    const element = canvas.current;
    const to = element?.getContext('2d');
    if (!element || !to || !paint) return;
    const dense = window.devicePixelRatio || 1;
    const wide = Math.round(width * dense);
    const high = Math.round(layout.height * dense);
    if (element.width !== wide) element.width = wide;
    if (element.height !== high) element.height = high;
    to.setTransform(dense, 0, 0, dense, 0, 0);
    draw(to, scene, paint);
  });

  const timeAt = (x: number) => range.from + (x / width) * (range.until - range.from);
  const found = (x: number, y: number) => pieceAt(layout, timeAt(x), y, ((range.until - range.from) / width) * 3);
  usePan(place, {
    moveBy: (pixels) => setRange(moved(range, (-pixels / width) * (range.until - range.from))),
    zoomBy: (factor, x) => setRange(zoomed(range, factor, timeAt(x))),
    point: (x, y) => {
      const piece = found(x, y);
      point(piece ? { piece, x, y } : null);
    },
    leave: () => point(null),
    tap: (x, y) => {
      const piece = found(x, y);
      pin(piece ? { piece, x, y } : null);
      choose(timeAt(x));
    },
  });
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = (range.until - range.from) / 8;
    if (event.key === 'Escape') pin(null);
    else if (event.target !== place.current) return;
    else if (event.key === 'ArrowLeft') setRange(moved(range, -step));
    else if (event.key === 'ArrowRight') setRange(moved(range, step));
    else if (event.key === 'PageUp') setRange(moved(range, -step * 6));
    else if (event.key === 'PageDown') setRange(moved(range, step * 6));
    else return;
    event.preventDefault();
  };
  // Between the buttons of a lane the arrows go, so that a lane is one stop of the Tab key.
  const through = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const here = event.currentTarget as HTMLElement;
    const all = [...here.querySelectorAll<HTMLElement>('button')];
    const next = all[all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowRight' ? 1 : -1)];
    event.preventDefault();
    next?.focus();
  };
  const seen = (piece: Piece) => {
    const from = xOf(scene, piece.from);
    const until = xOf(scene, Math.max(piece.until, piece.latest ?? piece.until));
    return until > 0 && from < width && until - from >= kLeastWide && !(piece.kind === 'coming' && piece.what !== 'start' && piece.what !== 'return');
  };
  const each = Math.max(6, Math.floor(kMostButtons / Math.max(1, layout.lanes.length)));
  const shown = pinned ?? pointed;
  const count = layout.lanes.reduce((sum, lane) => sum + lane.pieces.length, 0);
  return (
    <div class="chart">
      <div class="chart-names" aria-hidden="true">
        <div class="chart-corner" />
        {layout.lanes.map((lane) => (
          <div key={lane.card} class="chart-name" style={{ height: `${lane.height}px` }}>
            <span class="card-number">{lane.card}</span>
            <span class="clip name quiet"><bdi>{nameOf(lane.card) ?? ''}</bdi></span>
          </div>
        ))}
      </div>
      <div class="chart-body">
        <Axis ticks={ticks} range={range} width={width} now={now} at={at} />
        <div ref={place} class="chart-place" tabIndex={0} role="group" aria-label={w.chart(moment(range.from), moment(range.until), layout.lanes.length, count)} style={{ height: `${layout.height}px` }} onKeyDown={keys}>
          <canvas ref={canvas} aria-hidden="true" />
          {layout.lanes.map((lane) => {
            const pieces = lane.pieces.filter(seen).slice(-each);
            return (
              <div key={lane.card} class="chart-lane" role="group" aria-label={w.card(lane.card)} onKeyDown={through}>
                {pieces.map((piece, index) => {
                  const x = Math.max(0, xOf(scene, piece.from));
                  const end = Math.min(width, xOf(scene, Math.max(piece.until, piece.latest ?? piece.until)));
                  const y = topOf(lane, piece);
                  return (
                    <button
                      key={piece.key}
                      class="chart-piece"
                      tabIndex={index === pieces.length - 1 ? 0 : -1}
                      aria-label={pieceText(piece)}
                      style={{ left: `${x}px`, width: `${Math.max(4, end - x)}px`, top: `${y}px`, height: `${lane.barHeight}px` }}
                      onFocus={() => point({ piece, x, y: y + lane.barHeight - 8 })}
                      onBlur={() => point(null)}
                      onClick={(event) => {
                        // A pointer shows the card of an entry; a key opens its job.
                        if (event.detail === 0) go(`#/job/${piece.job}`);
                      }}
                    />
                  );
                })}
              </div>
            );
          })}
          {shown && <PieceCard piece={shown.piece} x={shown.x} y={shown.y} width={width} pinned={pinned !== null} close={() => pin(null)} />}
        </div>
      </div>
    </div>
  );
});
