// The jobs of a sweep: parameters and results as columns, sorted by any of them, failures first.
import { useMemo } from 'preact/hooks';
import { StateMark } from '../../../parts/StateMark';
import { VirtualList } from '../../../parts/VirtualList';
import { causeBeside } from '../../../words/causes';
import { useWords } from '../../../words/words';
import { words as jobWords } from '../words';
import { type Column, type SweepRow, sorted, valueOf } from './rows';
import { sayValue } from './SweepPlot';
import { words } from './words';

interface Props {
  rows: SweepRow[];
  columns: Column[];
  now: number;
  nameOf: (column: Column) => string;
  sort: string;
  down: boolean;
  setSort: (key: string, down: boolean) => void;
}
const kHeight = 36;

export function SweepTable({ rows, columns, now, nameOf, sort, down, setSort }: Props) {
  const w = useWords(words);
  // What runs becomes longer all the time; its place by duration is looked at every few seconds.
  const order = useMemo(() => sorted(rows, sort, down, now), [rows, sort, down, sort === 'duration' ? Math.floor(now / 5000) : 0]);
  const template = `76px 124px ${columns.map((one) => (one.kind === 'known' ? '104px' : 'minmax(92px, 1fr)')).join(' ')} minmax(110px, 1fr)`;
  const width = 76 + 124 + columns.length * 104 + 110;
  const heads: [string, string, string][] = [['id', w.job, w.job], ['state', w.state, w.state], ...columns.map((one): [string, string, string] => [one.key, nameOf(one), one.kind === 'said' ? w.says(one.name) : nameOf(one)])];
  const head = (
    <div role="rowgroup">
      <div role="row" class="sweep-row sweep-head" style={{ gridTemplateColumns: template }}>
        {heads.map(([key, name, long]) => (
          <div key={key} role="columnheader" class="clip" title={long} aria-sort={key !== sort ? 'none' : down ? 'descending' : 'ascending'}>
            <button class="plain sort name" onClick={() => setSort(key, key === sort ? !down : false)}>{name}<span aria-hidden="true">{key === sort ? (down ? ' ↓' : ' ↑') : ''}</span></button>
          </div>
        ))}
        <div role="columnheader" class="clip">{' '}<span class="hidden-words">{w.state}</span></div>
      </div>
    </div>
  );
  return (
    <div class="scroll sweep-table" tabIndex={0} role="region" aria-label={w.table}>
      <div style={{ minWidth: `${width}px` }}>
        <VirtualList rows={order} height={kHeight} label={w.table} head={head} keyOf={(row) => row.id} row={(row) => <Cells row={row} columns={columns} now={now} template={template} />} />
      </div>
    </div>
  );
}

function Cells({ row, columns, now, template }: { row: SweepRow; columns: Column[]; now: number; template: string }) {
  const j = useWords(jobWords);
  const how = row.state !== 'failed' ? '' : row.exit_code ? j.exit(row.exit_code) : row.signal !== null ? j.signal(row.signal) : (causeBeside(row.cause) ?? '');
  return (
    <div role="presentation" class="sweep-row" style={{ gridTemplateColumns: template }}>
      <div role="cell"><a href={`#/job/${row.id}`} class="number">{row.id}</a></div>
      <div role="cell" class="clip"><StateMark state={row.state} /></div>
      {columns.map((one) => {
        const value = valueOf(row, one.key, now);
        const text = value === null ? '' : one.kind === 'parameter' ? (one.key.startsWith('p:') ? (row.values[one.name] ?? '') : String(value)) : sayValue(one.key)(value);
        return <div key={one.key} role="cell" class={typeof value === 'number' ? 'clip number sweep-number' : 'clip'} title={text}><bdi class="name">{text}</bdi></div>;
      })}
      <div role="cell" class="clip quiet name">{how}</div>
    </div>
  );
}
