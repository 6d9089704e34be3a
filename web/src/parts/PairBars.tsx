// Two values for each of several things, as bars under each other: before and after, due and got.
// The second one is solid, the first one hatched, so that they differ without colour.
import type { ComponentChildren } from 'preact';
import './bars.css';

export interface Pair {
  key: string;
  name: ComponentChildren;
  // null is unknown and has no bar.
  values: (number | null)[];
  note?: ComponentChildren;
}
interface Props {
  label: string;
  // What the bars of each row mean, in the order of their values.
  series: string[];
  rows: Pair[];
  unit: (value: number) => string;
  most?: number;
}

export function PairBars({ label, series, rows, unit, most }: Props) {
  const top = Math.max(most ?? 0, 1e-9, ...rows.flatMap((row) => row.values.map((value) => value ?? 0)));
  return (
    <div class="pair-bars">
      {series.length > 1 && (
        <p class="bars-legend" aria-hidden="true">
          {series.map((name, index) => <span key={name}><i class={`bar-sign series-${index}`} /> {name}</span>)}
        </p>
      )}
      <div role="table" aria-label={label}>
        <div role="row" class="hidden-words">
          <span role="columnheader">{label}</span>
          {series.map((name) => <span role="columnheader" key={name}>{name}</span>)}
        </div>
        {rows.map((row) => (
          <div role="row" class="pair" key={row.key}>
            <span role="rowheader" class="pair-name name">{row.name}</span>
            <span class="pair-values" role="presentation">
              {row.values.map((value, index) => (
                <span role="cell" class="pair-value" key={series[index]}>
                  <i class={`bar series-${series.length > 1 ? index : 1}`} aria-hidden="true" style={{ width: `${value === null ? 0 : Math.max(value > 0 ? 0.6 : 0, (value / top) * 100) * 0.72}%` }} />
                  <span class="number">{value === null ? '–' : unit(value)}</span>
                </span>
              ))}
            </span>
            {row.note !== undefined && <span role="cell" class="pair-note quiet">{row.note}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}
