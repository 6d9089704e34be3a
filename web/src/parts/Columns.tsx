// Upright bars over time: days, hours. Each says its value when it is pointed at; all of them stand in
// a table for those who do not see it.
import './bars.css';

export interface Column {
  name: string;
  value: number;
}
interface Props {
  label: string;
  columns: Column[];
  unit: (value: number) => string;
  // Every how many columns have a name under them.
  namesEvery?: number;
  height?: number;
}

export function niceTop(most: number): number {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 2.5, 5, 10].find((one) => one * power >= most) ?? 10;
  return step * power;
}

export function Columns({ label, columns, unit, namesEvery, height = 120 }: Props) {
  const top = niceTop(Math.max(0, ...columns.map((one) => one.value)));
  const every = namesEvery ?? Math.max(1, Math.ceil(columns.length / 8));
  return (
    <figure class="columns">
      <div class="columns-drawn" aria-hidden="true">
        <div class="columns-scale number quiet" style={{ height: `${height}px` }}>
          <span>{unit(top)}</span>
          <span>{unit(top / 2)}</span>
          <span>{unit(0)}</span>
        </div>
        <div class="columns-field">
          <div class="columns-bars" style={{ height: `${height}px` }}>
            {columns.map((one, index) => (
              <i key={index} title={`${one.name}: ${unit(one.value)}`}><b style={{ height: `${(one.value / top) * 100}%` }} /></i>
            ))}
          </div>
          <div class="columns-names quiet">
            {columns.map((one, index) => index % every === 0 && <span key={index} style={{ left: `${((index + 0.5) / columns.length) * 100}%` }}>{one.name}</span>)}
          </div>
        </div>
      </div>
      <table class="hidden-words">
        <caption>{label}</caption>
        <tbody>
          {columns.map((one, index) => <tr key={index}><th scope="row">{one.name}</th><td>{unit(one.value)}</td></tr>)}
        </tbody>
      </table>
    </figure>
  );
}
