// Draws the timeline: lanes, what lasted, what is expected, and the line of now.
import type { TimelineAnswer } from '../../api/timeline';
import { type Lane, type Layout, type Piece, topOf } from './layout';
import { type Paint, hatch, plainName } from './paint';
import type { Range, Tick } from './range';

export interface Scene {
  layout: Layout;
  answer: TimelineAnswer;
  range: Range;
  width: number;
  ticks: Tick[];
  now: number;
  at: number | null;
  hovered: string | null;
  words: { known: string };
}
type To = CanvasRenderingContext2D;

export function xOf(scene: Pick<Scene, 'range' | 'width'>, time: number): number {
  return ((time - scene.range.from) / (scene.range.until - scene.range.from)) * scene.width;
}

function label(to: To, paint: Paint, text: string, x: number, y: number, width: number, colour: string): void {
  if (width < 26 || text === '') return;
  to.save();
  to.beginPath();
  to.rect(x, y - 12, width - 3, 24);
  to.clip();
  to.fillStyle = colour;
  to.font = `12px ${paint.font}`;
  to.textBaseline = 'middle';
  to.fillText(text, x + 5, y + 0.5);
  to.restore();
}

// A bar whose end is not certain gets fainter towards the latest time.
function fading(to: To, x: number, width: number, colour: string, strong: number): CanvasGradient {
  const gradient = to.createLinearGradient(x, 0, x + Math.max(1, width), 0);
  gradient.addColorStop(0, withAlpha(colour, strong));
  gradient.addColorStop(1, withAlpha(colour, 0.02));
  return gradient;
}
export function withAlpha(colour: string, alpha: number): string {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  if (!hex) return colour;
  const part = (at: number) => parseInt(hex.slice(at, at + 2), 16);
  return `rgba(${part(0)}, ${part(2)}, ${part(4)}, ${alpha})`;
}

function drawPiece(to: To, scene: Scene, paint: Paint, lane: Lane, piece: Piece): void {
  const from = Math.max(-4, xOf(scene, piece.from));
  const until = Math.min(scene.width + 4, xOf(scene, piece.until));
  const latest = piece.latest === null ? until : Math.min(scene.width + 4, xOf(scene, piece.latest));
  if (Math.max(until, latest) < 0 || from > scene.width) return;
  const y = topOf(lane, piece);
  const high = lane.barHeight;
  const colour = paint.owner(piece.user);
  const width = Math.max(1.5, until - from);
  const text = high >= 13 ? `#${piece.job} ${plainName(piece.name)}` : '';
  if (piece.what === 'aside') {
    to.fillStyle = withAlpha(colour, 0.1);
    to.fillRect(from, y + 2, width, high - 4);
    hatch(to, from, y + 2, width, high - 4, withAlpha(colour, 0.75), 6);
    to.strokeStyle = colour;
    to.setLineDash([4, 3]);
    to.strokeRect(from + 0.5, y + 2.5, Math.max(1, width - 1), high - 5);
    to.setLineDash([]);
    if (width > 40) {
      to.fillStyle = paint.panel;
      to.fillRect(from + width / 2 - 9, y + 3, 18, high - 6);
      label(to, paint, '⇄', from + width / 2 - 11, y + high / 2, 30, paint.aside);
    }
  } else if (piece.kind === 'coming') {
    const certain = piece.latestFrom === null ? from : Math.min(until, Math.max(from, xOf(scene, piece.latestFrom)));
    // It may not have begun yet: the bar grows stronger.
    if (certain > from) {
      const gradient = to.createLinearGradient(from, 0, certain, 0);
      gradient.addColorStop(0, withAlpha(colour, 0.04));
      gradient.addColorStop(1, withAlpha(colour, 0.34));
      to.fillStyle = gradient;
      to.fillRect(from, y, certain - from, high);
    }
    to.fillStyle = withAlpha(colour, 0.34);
    to.fillRect(certain, y, Math.max(0, until - certain), high);
    if (latest > until) {
      to.fillStyle = fading(to, until, latest - until, colour, 0.34);
      to.fillRect(until, y, latest - until, high);
    }
    if (piece.what === 'start' || piece.what === 'return') {
      to.fillStyle = colour;
      to.fillRect(from, y, 2, high);
      label(to, paint, text, from, y + high / 2, Math.max(until, latest) - from, paint.text);
    } else if (!piece.endless && until > from + 1) {
      // The expected end.
      to.fillStyle = withAlpha(colour, 0.8);
      to.fillRect(until - 1, y, 1.5, high);
    }
  } else {
    to.fillStyle = colour;
    // A hair's breadth between one and the next of the same owner.
    to.fillRect(from, y, piece.kind === 'past' && width > 4 ? width - 1 : width, high);
    if (piece.state === 'failed' && width > 3) {
      to.fillStyle = paint.bad;
      to.fillRect(from + width - 4, y, 3, high);
    }
    if (piece.what === 'lease' || piece.what === 'adopted') hatch(to, from, y, width, high, withAlpha(paint.ground, 0.35), 9, -1);
    const visible = Math.max(0, from);
    label(to, paint, `${piece.state === 'failed' ? '✕ ' : ''}${text}`, visible, y + high / 2, from + width - visible, paint.ground);
  }
  if (scene.hovered === piece.key) {
    to.strokeStyle = paint.text;
    to.lineWidth = 2;
    to.strokeRect(from - 1, y - 1, Math.max(until, latest) - from + 2, high + 2);
    to.lineWidth = 1;
  }
}

function drawBands(to: To, scene: Scene, paint: Paint): void {
  const lanes = new Map(scene.layout.lanes.map((lane) => [lane.card, lane]));
  const box = (card: number, from: string, until: string | null): [number, number, number, number] | null => {
    const lane = lanes.get(card);
    if (!lane) return null;
    const x = Math.max(-2, xOf(scene, Date.parse(from)));
    const end = Math.min(scene.width + 2, until === null ? scene.width + 2 : xOf(scene, Date.parse(until)));
    return end <= x || end < 0 || x > scene.width ? null : [x, lane.top + 1, end - x, lane.height - 2];
  };
  for (const one of scene.answer.drains) {
    const at = box(one.card, one.from, one.until);
    if (!at) continue;
    to.fillStyle = withAlpha(paint.warn, 0.1);
    to.fillRect(...at);
    hatch(to, ...at, withAlpha(paint.warn, 0.35), 10, -1);
  }
  for (const one of scene.answer.reservations) {
    for (const card of one.cards) {
      const at = box(card, one.from, one.until);
      if (!at) continue;
      to.fillStyle = withAlpha(paint.run, 0.08);
      to.fillRect(...at);
      to.strokeStyle = withAlpha(paint.run, 0.8);
      to.setLineDash([6, 3]);
      to.strokeRect(at[0] + 0.5, at[1] + 0.5, Math.max(1, at[2] - 1), at[3] - 1);
      to.setLineDash([]);
      label(to, paint, `◷ ${plainName(one.name) || plainName(one.user)}`, Math.max(0, at[0]), at[1] + 9, at[2], paint.run);
    }
  }
}
function drawAlarms(to: To, scene: Scene, paint: Paint): void {
  for (const one of scene.answer.alarms) {
    const lane = scene.layout.lanes.find((found) => found.card === one.card) ?? (one.card === null ? scene.layout.lanes[0] : undefined);
    if (!lane) continue;
    const x = xOf(scene, Date.parse(one.from));
    const end = one.until === null ? Math.min(xOf(scene, scene.now), scene.width) : xOf(scene, Date.parse(one.until));
    if (end < 0 || x > scene.width) continue;
    const colour = one.severity === 'critical' ? paint.bad : paint.warn;
    to.fillStyle = colour;
    to.fillRect(x, lane.top + 1, Math.max(2, end - x), 2.5);
    to.beginPath();
    to.moveTo(x, lane.top + 1);
    to.lineTo(x + 6, lane.top + 11);
    to.lineTo(x - 6, lane.top + 11);
    to.closePath();
    to.fill();
  }
}

export function draw(to: To, scene: Scene, paint: Paint): void {
  const { width, layout } = scene;
  const high = layout.height;
  to.clearRect(0, 0, width, high);
  layout.lanes.forEach((lane, index) => {
    to.fillStyle = index % 2 === 0 ? paint.panel : paint.ground;
    to.fillRect(0, lane.top, width, lane.height);
  });
  const now = xOf(scene, scene.now);
  if (now < width) {
    to.fillStyle = withAlpha(paint.select, 0.45);
    to.fillRect(Math.max(0, now), 0, width, high);
  }
  for (const tick of scene.ticks) {
    to.fillStyle = tick.day ? paint.strong : paint.line;
    to.fillRect(Math.round(xOf(scene, tick.at)), 0, 1, high);
  }
  drawBands(to, scene, paint);
  for (const lane of layout.lanes) for (const piece of lane.pieces) drawPiece(to, scene, paint, lane, piece);
  drawAlarms(to, scene, paint);
  const known = scene.answer.known_since === null ? null : xOf(scene, Date.parse(scene.answer.known_since));
  if (known !== null && known > 0) {
    const until = Math.min(width, known);
    to.fillStyle = withAlpha(paint.free, 0.9);
    to.fillRect(0, 0, until, high);
    hatch(to, 0, 0, until, high, paint.line, 14);
    label(to, paint, scene.words.known, 6, 16, until - 6, paint.quiet);
  }
  if (now >= 0 && now <= width) {
    to.fillStyle = paint.run;
    to.fillRect(now - 1, 0, 2, high);
  }
  if (scene.at !== null) {
    const x = xOf(scene, scene.at);
    to.fillStyle = paint.text;
    to.fillRect(x - 0.75, 0, 1.5, high);
  }
}
