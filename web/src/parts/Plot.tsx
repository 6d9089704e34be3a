// Curves over time or another axis, by uPlot. A sentence says the same to those who do not see it.
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';

export interface Curve {
  label: string;
  // A CSS colour or variable: "var(--run)".
  colour: string;
  values: (number | null)[];
  fill?: boolean;
  // Drawn as points without a line.
  points?: boolean;
}
interface Props {
  // Seconds since 1970 when `time`.
  x: number[];
  curves: Curve[];
  height?: number;
  time?: boolean;
  unit?: (value: number) => string;
  unitX?: (value: number) => string;
  most?: number;
  // What the plot shows, in one sentence.
  summary: string;
}

function colourOf(place: Element, colour: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(colour)?.[1];
  return name ? getComputedStyle(place).getPropertyValue(name).trim() : colour;
}

function optionsOf(place: HTMLElement, props: Props): UPlot.Options {
  const { curves, height = 140, time = true, unit, unitX, most } = props;
  const text = colourOf(place, 'var(--quiet)');
  const line = colourOf(place, 'var(--line)');
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, font: '12px system-ui, sans-serif' };
  return {
    width: Math.max(120, place.clientWidth),
    height,
    legend: { show: curves.length > 1 },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time }, y: { range: (_, least, top) => [Math.min(0, least ?? 0), most ?? Math.max(top ?? 1, 1e-9) * 1.05] } },
    axes: [
      unitX ? { ...axis, values: (_, ticks) => ticks.map(unitX) } : axis,
      unit ? { ...axis, size: 64, values: (_, ticks) => ticks.map(unit) } : axis,
    ],
    series: [
      unitX ? { value: (_, value) => (value === null ? '–' : unitX(value)) } : {},
      ...curves.map((one) => {
        const stroke = colourOf(place, one.colour);
        return {
          label: one.label,
          stroke,
          width: one.points ? 0 : 1.5,
          spanGaps: false,
          points: { show: one.points === true, size: 7, fill: stroke },
          ...(one.fill ? { fill: `${stroke}33` } : {}),
          ...(unit ? { value: (_: UPlot, value: number | null) => (value === null ? '–' : unit(value)) } : {}),
        };
      }),
    ],
  };
}

export function Plot(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const form = JSON.stringify([props.curves.map((one) => [one.label, one.colour, one.points]), props.height, props.time, props.most]);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsOf(element, props), [props.x, ...props.curves.map((one) => one.values)], element);
    };
    draw();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: Math.max(120, element.clientWidth), height: props.height ?? 140 }));
    resized.observe(element);
    window.addEventListener('gpusched-theme', draw);
    return () => {
      resized.disconnect();
      window.removeEventListener('gpusched-theme', draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [form]);
  useEffect(() => {
    plot.current?.setData([props.x, ...props.curves.map((one) => one.values)]);
  }, [props.x, props.curves]);
  return (
    <figure class="plot">
      <div ref={place} aria-hidden="true" />
      <figcaption class="hidden-words">{props.summary}</figcaption>
    </figure>
  );
}
