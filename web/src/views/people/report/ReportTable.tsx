// All figures of a report, one row for each user, tenant … The rows beyond the first are folded.
import { useState } from 'preact/hooks';
import { amount, bytes, durationFine, percent } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { energy, gpuHours, money } from './figures';
import { type Report, type Row, fold, inOrder, keyOfRow, nameOfRow } from './fold';
import { words } from './words';

const kRowsShown = 25;

export function ReportTable({ report }: { report: Report }) {
  const w = useWords(words);
  const [all, setAll] = useState(false);
  const rows = inOrder(report.rows, report.by);
  const { shown, rest } = fold(rows, all ? rows.length : kRowsShown);
  const hasCost = report.total.cost !== undefined && report.total.cost !== null;
  const number = (text: string) => <td class="number">{text}</td>;
  const cells = (row: Row) => (
    <>
      {number(amount(Math.round(row.jobs * 10) / 10))}
      {number(gpuHours(row.gpu_seconds))}
      {number(gpuHours(row.wasted_gpu_seconds))}
      {number(bytes(row.asked_vram_bytes))}
      {number(bytes(row.used_vram_bytes))}
      {number(bytes(row.peak_vram_bytes))}
      {number(percent(row.held_compute_percent))}
      {number(percent(row.mean_busy_percent))}
      {number(durationFine(row.waits?.median_s))}
      {number(durationFine(row.waits?.p90_s))}
      {number(amount((row.failures ?? []).reduce((sum, one) => sum + one.attempts, 0)))}
      {number(amount(row.moves))}
      {number(energy(row.energy_joules))}
      {hasCost && number(money(row.cost, report.currency))}
    </>
  );
  const heads = [w.jobs, w.gpuHours, w.wasted, w.vramAsked, w.vramUsed, w.vramPeak, w.compute, w.load, w.waitMedian, w.waitP90, w.failed, w.moves, w.energy, ...(hasCost ? [w.cost] : [])];
  return (
    <section class="panel">
      <h2>{w.table}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label={w.table}>
        <table class="report-table">
          <thead>
            <tr>
              <th scope="col">{w[report.by as 'user']}</th>
              {heads.map((head) => <th scope="col" class="number" key={head}>{head}</th>)}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={keyOfRow(row, report.by)}>
                <th scope="row" class="report-name"><RowName row={row} by={report.by} /></th>
                {cells(row)}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" class="report-name">{w.total}</th>
              {cells(report.total)}
            </tr>
          </tfoot>
        </table>
      </div>
      {rest.length > 0 && <button onClick={() => setAll(true)}>{w.showAll(amount(rows.length))}</button>}
    </section>
  );
}

export function RowName({ row, by }: { row: Row; by: string }) {
  const w = useWords(words);
  if (row.others) return <>{w.others}</>;
  const name = nameOfRow(row, by);
  if (by === 'card') return <>{name === null ? w.cpuOnly : `${w.card} ${name}`}</>;
  return name === null ? <span class="quiet">{w.unnamed}</span> : <bdi class="name" title={name}>{name}</bdi>;
}
