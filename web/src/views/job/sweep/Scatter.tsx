// Jobs as points. Each group has a shape as well as a colour; the table says the same in numbers.
import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../../app/route';
import type { Axis } from './scale';

export interface Point {
  id: number;
  x: number;
  y: number;
  group: number;
  title: string;
}
interface Props {
  points: Point[];
  x: Axis;
  y: Axis;
  nameX: string;
  nameY: string;
  groups: string[];
  sayX: (value: number | string) => string;
  sayY: (value: number | string) => string;
  summary: string;
}
const kLeft = 74;
const kBottom = 44;
const kTop = 12;
const kRight = 16;
const kHeight = 340;
export const kGroups = 6;

// Circle, square, triangle, diamond, cross, star: six that differ without colour.
function shape(group: number, x: number, y: number, r: number): string {
  const at = (dx: number, dy: number) => `${(x + dx * r).toFixed(1)} ${(y + dy * r).toFixed(1)}`;
  switch (group % kGroups) {
    case 1:
      return `M${at(-0.9, -0.9)}L${at(0.9, -0.9)}L${at(0.9, 0.9)}L${at(-0.9, 0.9)}Z`;
    case 2:
      return `M${at(0, -1.15)}L${at(1.1, 0.9)}L${at(-1.1, 0.9)}Z`;
    case 3:
      return `M${at(0, -1.25)}L${at(1.25, 0)}L${at(0, 1.25)}L${at(-1.25, 0)}Z`;
    case 4:
      return `M${at(-1, -0.35)}L${at(-0.35, -0.35)}L${at(-0.35, -1)}L${at(0.35, -1)}L${at(0.35, -0.35)}L${at(1, -0.35)}L${at(1, 0.35)}L${at(0.35, 0.35)}L${at(0.35, 1)}L${at(-0.35, 1)}L${at(-0.35, 0.35)}L${at(-1, 0.35)}Z`;
    case 5:
      return `M${at(0, 1.15)}L${at(1.1, -0.9)}L${at(-1.1, -0.9)}Z`;
    default:
      return `M${at(-1, 0)}A${r} ${r} 0 1 0 ${at(1, 0)}A${r} ${r} 0 1 0 ${at(-1, 0)}Z`;
  }
}

export function Scatter({ points, x, y, nameX, nameY, groups, sayX, sayY, summary }: Props) {
  const place = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const measure = () => setWidth(Math.max(240, element.clientWidth));
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  const across = (at: number) => kLeft + at * (width - kLeft - kRight);
  const up = (at: number) => kTop + (1 - at) * (kHeight - kTop - kBottom);
  // Labels that would run into each other are left out.
  const room = Math.max(1, Math.ceil((x.ticks.length * 64) / (width - kLeft - kRight)));
  return (
    <figure ref={place} class="scatter">
      <svg width={width} height={kHeight} aria-hidden="true">
        {x.ticks.map((tick, i) => (
          <g key={`x${i}`}>
            <line class="scatter-grid" x1={across(tick.at)} x2={across(tick.at)} y1={kTop} y2={kHeight - kBottom} />
            {i % room === 0 && <text x={across(tick.at)} y={kHeight - kBottom + 17} text-anchor="middle">{clipped(sayX(tick.value), 12)}</text>}
          </g>
        ))}
        {y.ticks.map((tick, i) => (
          <g key={`y${i}`}>
            <line class="scatter-grid" x1={kLeft} x2={width - kRight} y1={up(tick.at)} y2={up(tick.at)} />
            <text x={kLeft - 8} y={up(tick.at) + 4} text-anchor="end">{clipped(sayY(tick.value), 10)}</text>
          </g>
        ))}
        <text class="scatter-name" x={(kLeft + width - kRight) / 2} y={kHeight - 6} text-anchor="middle">{clipped(nameX, 60)}</text>
        <text class="scatter-name" transform={`translate(12 ${(kTop + kHeight - kBottom) / 2}) rotate(-90)`} text-anchor="middle">{clipped(nameY, 40)}</text>
        {points.map((point) => (
          <path key={point.id} class={`scatter-point ${groups.length > 1 ? `owner-${point.group % kGroups}` : 'only'}`} d={shape(point.group, across(point.x), up(point.y), points.length > 500 ? 3.5 : 5.5)} onClick={() => go(`#/job/${point.id}`)}><title>{point.title}</title></path>
        ))}
      </svg>
      {groups.length > 1 && (
        <div class="scatter-legend" aria-hidden="true">
          {groups.map((group, i) => <span key={group}><svg width="14" height="14"><path class={`scatter-point owner-${i % kGroups}`} d={shape(i, 7, 7, 5)} /></svg> <bdi class="name">{clipped(group, 30)}</bdi></span>)}
        </div>
      )}
      <figcaption class="hidden-words">{summary}</figcaption>
    </figure>
  );
}
function clipped(text: string, most: number): string {
  return [...text].length > most ? `${[...text].slice(0, most - 1).join('')}…` : text;
}
