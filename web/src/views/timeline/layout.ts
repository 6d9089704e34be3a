// Where everything on the timeline lies: one lane per card, in it one row per job that overlaps
// others, and pieces of bars with times. No pixels of the horizontal here: those come with the zoom.
import type { Planned, Span, TimelineAnswer } from '../../api/timeline';

export interface Piece {
  key: string;
  // past: it was so. now: it lasts, drawn until now. coming: expected.
  kind: 'past' | 'now' | 'coming';
  what: Span['kind'] | Planned['kind'];
  card: number;
  job: number;
  from: number;
  until: number;
  // Between `until` and this nobody knows whether it has ended; null: that is known.
  latest: number | null;
  // Between `from` and this it may not have begun yet.
  latestFrom: number | null;
  endless: boolean;
  name: string | null;
  user: string;
  state: string;
  cause: string | null;
  forJob: number | null;
  mechanism: string | null;
  // null: nobody knows.
  vram: number | null;
  whole: boolean;
  row: number;
}
export interface Lane {
  card: number;
  rows: number;
  pieces: Piece[];
  top: number;
  height: number;
  barHeight: number;
}
export interface Layout {
  lanes: Lane[];
  height: number;
  now: number;
}

const kBar = 22;
// Few cards have more room each.
const kBarOfFew = 30;
const kFew = 4;
const kGap = 2;
const kLeastBar = 6;
const kMostLane = 150;
const kPad = 6;
// A job that is expected to start and of which nobody knows the end.
const kOpenEnd = 3_600_000;

function fromSpans(answer: TimelineAnswer, now: number): Piece[] {
  const ends = new Map(answer.ends.map((one) => [one.job, one]));
  const pieces: Piece[] = [];
  answer.spans.forEach((span, index) => {
    const from = Date.parse(span.from);
    const until = span.until === null ? now : Date.parse(span.until);
    const common = { what: span.kind, card: span.card, job: span.job, name: span.name, user: span.user, state: span.state, cause: span.cause, forJob: span.for_job, mechanism: span.mechanism, vram: span.vram_bytes, whole: span.whole, row: 0, latestFrom: null };
    pieces.push({ ...common, key: `s${index}`, kind: span.until === null ? 'now' : 'past', from, until: Math.max(from, until), latest: null, endless: false });
    if (span.until !== null || span.kind === 'aside') return;
    const end = ends.get(span.job);
    const expected = end?.expected_end ? Math.max(now, Date.parse(end.expected_end)) : null;
    const latest = end?.latest_end ? Math.max(now, Date.parse(end.latest_end)) : null;
    if (expected === null && latest === null) pieces.push({ ...common, key: `e${index}`, kind: 'coming', from: now, until: now, latest: now + kOpenEnd, endless: true });
    else pieces.push({ ...common, key: `e${index}`, kind: 'coming', from: now, until: expected ?? now, latest, endless: false });
  });
  return pieces;
}
function fromPlan(answer: TimelineAnswer, now: number): Piece[] {
  return answer.planned.map((one, index) => {
    const from = Math.max(now, Date.parse(one.from));
    const end = one.until === null ? null : Date.parse(one.until);
    const latest = one.latest === null ? null : Date.parse(one.latest);
    const until = Math.max(from, end ?? from);
    return {
      key: `p${index}`, kind: 'coming' as const, what: one.kind, card: one.card, job: one.job, from, until,
      latest: end === null ? from + kOpenEnd : latest !== null && latest > from ? until + (latest - from) : null,
      latestFrom: latest !== null && latest > from ? latest : null,
      endless: end === null, name: one.name, user: one.user, state: 'queued', cause: null, forJob: null, mechanism: null, vram: one.vram_bytes, whole: one.whole, row: 0,
    };
  });
}

// Gives each job of a lane a row of its own as long as it is there; returns how many rows it takes.
export function giveRows(pieces: Piece[]): number {
  const jobs = new Map<number, { from: number; until: number; pieces: Piece[] }>();
  for (const piece of pieces) {
    const end = Math.max(piece.until, piece.latest ?? piece.until);
    const known = jobs.get(piece.job);
    if (!known) jobs.set(piece.job, { from: piece.from, until: end, pieces: [piece] });
    else {
      known.from = Math.min(known.from, piece.from);
      known.until = Math.max(known.until, end);
      known.pieces.push(piece);
    }
  }
  const ends: number[] = [];
  for (const job of [...jobs.values()].sort((a, b) => a.from - b.from)) {
    let row = ends.findIndex((end) => end <= job.from);
    if (row < 0) row = ends.length;
    ends[row] = job.until;
    for (const piece of job.pieces) piece.row = row;
  }
  return Math.max(1, ends.length);
}

export function layoutOf(answer: TimelineAnswer, cards: readonly number[], only: number | null): Layout {
  const now = Date.parse(answer.now);
  const pieces = [...fromSpans(answer, now), ...fromPlan(answer, now)];
  const byCard = new Map<number, Piece[]>();
  for (const card of cards) byCard.set(card, []);
  for (const piece of pieces) {
    const there = byCard.get(piece.card);
    if (there) there.push(piece);
    else byCard.set(piece.card, [piece]);
  }
  const lanes: Lane[] = [];
  let top = 0;
  const bar = only !== null || byCard.size <= kFew ? kBarOfFew : kBar;
  for (const [card, of] of [...byCard].sort(([a], [b]) => a - b)) {
    if (only !== null && card !== only) continue;
    const rows = giveRows(of);
    const barHeight = Math.max(kLeastBar, Math.min(bar, Math.floor((kMostLane - 2 * kPad) / rows) - kGap));
    const height = Math.max(44, rows * (barHeight + kGap) + 2 * kPad);
    of.sort((a, b) => a.from - b.from);
    lanes.push({ card, rows, pieces: of, top, height, barHeight });
    top += height;
  }
  return { lanes, height: top, now };
}
export function topOf(lane: Lane, piece: Piece): number {
  const used = lane.rows * (lane.barHeight + kGap) - kGap;
  return lane.top + (lane.height - used) / 2 + piece.row * (lane.barHeight + kGap);
}
// The piece at a place; of several the one drawn last.
export function pieceAt(layout: Layout, time: number, y: number, slack: number): Piece | null {
  const lane = layout.lanes.find((one) => y >= one.top && y < one.top + one.height);
  if (!lane) return null;
  let found: Piece | null = null;
  for (const piece of lane.pieces) {
    const top = topOf(lane, piece);
    const end = Math.max(piece.until, piece.latest ?? piece.until);
    if (y >= top - 1 && y < top + lane.barHeight + 1 && time >= piece.from - slack && time <= end + slack) found = piece;
  }
  return found;
}
