// Which parameter against which result, on which axis, coloured or narrowed by another one.
import { useMemo, useState } from 'preact/hooks';
import { bytes, duration } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { Scatter, kGroups, type Point } from './Scatter';
import { type Column, type SweepRow, figure, valueOf } from './rows';
import { type AxisKind, axisOf, kindOf } from './scale';
import { words } from './words';

const kDrawn = 3000;

export function sayValue(key: string): (value: number | string) => string {
  return (value) => {
    if (typeof value === 'string') return value;
    if (key === 'duration') return duration(value);
    return key === 'peak' ? bytes(value) : figure(value);
  };
}

interface Props {
  rows: SweepRow[];
  columns: Column[];
  now: number;
  nameOf: (column: Column) => string;
}
export function SweepPlot({ rows, columns, now, nameOf }: Props) {
  const w = useWords(words);
  const parameters = columns.filter((one) => one.kind === 'parameter');
  const results = columns.filter((one) => one.kind !== 'parameter');
  const [keyX, setX] = useState<string | null>(null);
  const [keyY, setY] = useState<string | null>(null);
  const [keyColour, setColour] = useState<string>('');
  const [axis, setAxis] = useState<'auto' | AxisKind>('auto');
  const [axisUp, setAxisUp] = useState<'auto' | AxisKind>('auto');
  const x = parameters.find((one) => one.key === keyX) ?? varied(parameters, rows) ?? parameters[0];
  const y = results.find((one) => one.key === keyY) ?? results[0];
  const colour = parameters.find((one) => one.key === keyColour) ?? null;
  const drawn = useMemo(() => {
    if (!x || !y) return null;
    const all = rows.slice(0, kDrawn).map((row) => ({ row, x: valueOf(row, x.key, now), y: valueOf(row, y.key, now), group: colour ? String(valueOf(row, colour.key, now) ?? '–') : '' }));
    const there = all.filter((one) => one.x !== null && one.y !== null);
    const kindX = axis === 'auto' ? kindOf(there.map((one) => one.x)) : axis;
    const kindY = axisUp === 'auto' ? kindOf(there.map((one) => one.y)) : axisUp;
    const axisX = axisOf(there.map((one) => one.x), kindX);
    const axisY = axisOf(there.map((one) => one.y), kindY);
    const groups = [...new Set(there.map((one) => one.group))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    // The sixth stands for all that have no colour of their own.
    const shown = groups.length > kGroups ? [...groups.slice(0, kGroups - 1), w.others] : groups;
    const points: Point[] = [];
    for (const one of there) {
      const placeX = axisX.place(one.x);
      const placeY = axisY.place(one.y);
      if (placeX === null || placeY === null) continue;
      const group = Math.min(groups.indexOf(one.group), kGroups - 1);
      points.push({ id: one.row.id, x: placeX, y: placeY, group, title: `${w.point(one.row.id)}\n${nameOf(x)} = ${String(one.x)}\n${nameOf(y)} = ${sayValue(y.key)(one.y as number | string)}${colour ? `\n${nameOf(colour)} = ${one.group}` : ''}` });
    }
    return { points, axisX, axisY, groups: shown };
  }, [rows, x?.key, y?.key, colour?.key, axis, axisUp, Math.floor(now / 5000), w]);
  if (!x || !y || !drawn) return null;
  const extremes = extremesOf(rows, y.key, now);
  const choice = (label: string, value: string, set: (value: string) => void, from: Column[], none?: string) => (
    <label class="job-filter"><span>{label}</span><select value={value} onChange={(event) => set(event.currentTarget.value)}>{none !== undefined && <option value="">{none}</option>}{from.map((one) => <option key={one.key} value={one.key}>{nameOf(one)}</option>)}</select></label>
  );
  const kinds = (label: string, value: string, set: (value: 'auto' | AxisKind) => void) => (
    <label class="job-filter"><span>{label}</span><select value={value} onChange={(event) => set(event.currentTarget.value as 'auto' | AxisKind)}>{(['auto', 'linear', 'log', 'words'] as const).map((one) => <option key={one} value={one}>{w[one]}</option>)}</select></label>
  );
  return (
    <section class="panel" aria-label={w.plot}>
      <h2>{w.plot}</h2>
      <div class="row scatter-choices">
        {choice(w.x, x.key, setX, parameters)}{kinds(w.scaleX, axis, setAxis)}
        {choice(w.y, y.key, setY, results)}{kinds(w.scaleY, axisUp, setAxisUp)}
        {parameters.length > 1 && choice(w.colour, keyColour, setColour, parameters.filter((one) => one.key !== x.key), w.none)}
      </div>
      {drawn.points.length === 0 ? <p class="quiet">{w.noPoints}</p> : <Scatter points={drawn.points} x={drawn.axisX} y={drawn.axisY} nameX={nameOf(x)} nameY={nameOf(y)} groups={drawn.groups} sayX={sayValue(x.key)} sayY={sayValue(y.key)} summary={w.summary(drawn.points.length, nameOf(y), nameOf(x))} />}
      {extremes && <p class="quiet name">{w.best(nameOf(y), sayValue(y.key)(extremes.low.value), extremes.low.id, sayValue(y.key)(extremes.high.value), extremes.high.id)}</p>}
      {!results.some((one) => one.kind === 'said') && <p class="quiet">{w.nothingSaid}</p>}
    </section>
  );
}

// The first parameter that has more than one value.
function varied(parameters: Column[], rows: SweepRow[]): Column | undefined {
  return parameters.find((one) => new Set(rows.slice(0, 200).map((row) => String(valueOf(row, one.key, 0)))).size > 1);
}
function extremesOf(rows: SweepRow[], key: string, now: number): { low: { id: number; value: number }; high: { id: number; value: number } } | null {
  let low: { id: number; value: number } | null = null;
  let high: { id: number; value: number } | null = null;
  for (const row of rows) {
    const value = valueOf(row, key, now);
    if (typeof value !== 'number' || !Number.isFinite(value)) continue;
    if (!low || value < low.value) low = { id: row.id, value };
    if (!high || value > high.value) high = { id: row.id, value };
  }
  return low && high && low.id !== high.id ? { low, high } : null;
}
