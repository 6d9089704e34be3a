// The pictures of a report, and what it suggests; the table is below them.
import { Columns } from '../../../parts/Columns';
import { PairBars } from '../../../parts/PairBars';
import { causeText } from '../../../words/causes';
import { amount, bytes, durationFine, momentExact } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { ReportTable, RowName } from './ReportTable';
import { WaitMatrix } from './WaitMatrix';
import { dayName, energy, gpuHours, money } from './figures';
import { type Report, everyDay, failuresByCause, fold, hoursHere, inOrder, keyOfRow } from './fold';
import { words } from './words';

const kBars = 10;

export function ReportBody({ report }: { report: Report }) {
  const w = useWords(words);
  const { total, by } = report;
  const { shown } = fold(inOrder(report.rows, by), kBars);
  const named = (row: (typeof shown)[number]) => ({ key: keyOfRow(row, by), name: <RowName row={row} by={by} /> });
  const withVram = shown.filter((row) => row.asked_vram_bytes !== undefined);
  const withWaits = shown.filter((row) => row.waits !== undefined);
  const failures = failuresByCause(report.rows);
  const failed = failures.reduce((sum, one) => sum + one.attempts, 0);
  const facts: [string, string][] = [
    [w.jobs, amount(total.jobs)],
    [w.gpuHours, gpuHours(total.gpu_seconds)],
    [w.wasted, gpuHours(total.wasted_gpu_seconds)],
    [w.waitMedian, durationFine(total.waits?.median_s)],
    [w.waitP90, durationFine(total.waits?.p90_s)],
    [w.failed, amount(failed)],
    [w.energy, energy(total.energy_joules)],
    ...(total.cost === undefined || total.cost === null ? [] : [[w.cost, money(total.cost, report.currency)] as [string, string]]),
  ];
  const days = everyDay(report.days ?? [], report.since, report.until);
  const hours = hoursHere(report.hours ?? []);
  const hoursText = (value: number) => gpuHours(value * 3600);
  return (
    <>
      <p class="quiet">
        {w.counted(momentExact(report.since), momentExact(report.until))} {report.source === 'jobs' ? w.fromJobs : w.fromDays}
      </p>
      <dl class="report-facts" aria-label={w.totals}>
        {facts.map(([name, value]) => (
          <div key={name}><dt>{name}</dt><dd class="number">{value}</dd></div>
        ))}
      </dl>
      {(report.suggestions?.length ?? 0) > 0 && (
        <section class="panel">
          <h2>{w.suggestions}</h2>
          <ul>{report.suggestions?.map((one) => <li key={one.text} class="name">{one.text}</li>)}</ul>
        </section>
      )}
      <div class="report-grid">
        <div>
          {days.length > 1 && (
            <section class="panel">
              <h2>{w.byDay}</h2>
              <Columns label={w.byDay} unit={hoursText} columns={days.map((one) => ({ name: dayName(one.day), value: one.gpuHours }))} />
              <p class="quiet report-small">{w.byDayAbout}</p>
            </section>
          )}
          {withVram.length > 0 && (
            <section class="panel">
              <h2>{w.vram}</h2>
              <PairBars label={w.vram} series={[w.asked, w.used, w.peak]} unit={bytes} rows={withVram.map((row) => ({ ...named(row), values: [row.asked_vram_bytes ?? null, row.used_vram_bytes ?? null, row.peak_vram_bytes ?? null] }))} />
            </section>
          )}
          <section class="panel">
            <h2>{w.failures}</h2>
            {failures.length === 0 ? <p class="quiet">{w.noFailures}</p> : <PairBars label={w.failures} series={[w.failed]} unit={amount} rows={failures.map((one) => ({ key: one.cause, name: causeText(one.cause), values: [one.attempts] }))} />}
          </section>
        </div>
        <div>
          {hours.some((value) => value > 0) && (
            <section class="panel">
              <h2>{w.byHour}</h2>
              <Columns label={w.byHour} unit={hoursText} namesEvery={6} columns={hours.map((value, hour) => ({ name: `${String(hour).padStart(2, '0')}:00`, value: value / 3600 }))} />
              <p class="quiet report-small">{w.byHourAbout}</p>
            </section>
          )}
          {withWaits.length > 0 && (
            <section class="panel">
              <h2>{w.waits}</h2>
              <PairBars label={w.waits} series={[w.p90, w.median]} unit={durationFine} rows={withWaits.map((row) => ({ ...named(row), values: [row.waits?.p90_s ?? null, row.waits?.median_s ?? null] }))} />
            </section>
          )}
          {(report.waited_for?.length ?? 0) > 0 && <WaitMatrix pairs={report.waited_for ?? []} />}
        </div>
      </div>
      <ReportTable report={report} />
      {(report.notes?.length ?? 0) > 0 && (
        <section>
          <h2>{w.notes}</h2>
          <ul>{report.notes?.map((note) => <li key={note} class="name">{note}</li>)}</ul>
        </section>
      )}
    </>
  );
}
