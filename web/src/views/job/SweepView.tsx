// A sweep: how it stands, what of its parameters matters, and each of its jobs.
import { useMemo, useState } from 'preact/hooks';
import type { ViewProps } from '../../app/App';
import { hrefOf } from '../../app/route';
import { may, useSession } from '../../app/session';
import { Owner } from '../../parts/Owner';
import { VerbDialog } from '../../parts/VerbDialog';
import { useNow } from '../../parts/useNow';
import { amount } from '../../words/figures';
import { useWords } from '../../words/words';
import { StateStrip } from '../../parts/StateStrip';
import { SweepPlot } from './sweep/SweepPlot';
import { SweepTable } from './sweep/SweepTable';
import { type Column, columnsOf, hasFailed } from './sweep/rows';
import { useSweep } from './sweep/useSweep';
import { words } from './sweep/words';
import '../jobs/jobs.css';
import './job.css';
import './sweep/sweep.css';

export function SweepView({ route }: ViewProps) {
  const w = useWords(words);
  const id = Number(route.path[1] ?? '');
  const { who } = useSession();
  const { sweep, rows, loading, cut, fault, missing } = useSweep(id);
  const now = useNow();
  const [act, setAct] = useState<'requeue' | 'cancel' | null>(null);
  const [sort, setSort] = useState<{ key: string; down: boolean }>({ key: 'state', down: false });
  const [only, setOnly] = useState<Record<string, string>>({});
  const columns = useMemo(() => columnsOf(rows, sweep?.parameters ?? []), [rows, sweep?.parameters.join()]);
  const shown = useMemo(() => {
    const wanted = Object.entries(only).filter(([, value]) => value !== '');
    return wanted.length === 0 ? rows : rows.filter((row) => wanted.every(([name, value]) => row.values[name] === value));
  }, [rows, only]);
  if (!sweep) return <><h1>{w.sweep(id)}</h1><p class={fault ? 'panel name' : 'quiet'} role={fault ? 'alert' : 'status'}>{fault ?? w.loading} {missing && w.missing}</p></>;
  const nameOf = (column: Column) => (column.kind === 'known' ? (w as unknown as Record<string, string>)[column.key] ?? column.name : column.key === 'index' ? w.index : column.name);
  const { counts } = sweep;
  const rest = counts.held + counts.queued + counts.starting + counts.running + ((counts as { paused?: number }).paused ?? 0);
  const mayAct = may(who, 'steer_job', sweep.user);
  const array = String(sweep.id);
  return (
    <article class="sweep">
      <header class="job-title">
        <div class="job-title-words">
          <p class="quiet job-kind">{w.sweep(sweep.id)} · {w.of(amount(sweep.of))}</p>
          <h1 class="name"><bdi>{sweep.name ?? sweep.command.slice(0, 80)}</bdi></h1>
          <p class="row job-line"><Owner user={sweep.user} /> {sweep.group && <span class="quiet name">{sweep.group}</span>}</p>
        </div>
        <div class="row">
          {mayAct && counts.failed > 0 && <button onClick={() => setAct('requeue')}>{w.retry}</button>}
          {mayAct && rest > 0 && <button class="danger" onClick={() => setAct('cancel')}>{w.cancel}</button>}
          <a class="button" href={hrefOf('jobs', { array })}>{w.asJobs}</a>
          {may(who, 'act') && <a class="button" href={hrefOf('submit', { from: sweep.first })}>{w.again}</a>}
        </div>
      </header>
      <div class="command-line" tabIndex={0} role="region" aria-label={w.job}><code class="name">{sweep.command}</code></div>
      <div class="sweep-strip"><StateStrip counts={counts} long /></div>
      {sweep.reason && <p class="name"><span class="quiet">{w.waits}</span> {sweep.reason}</p>}
      {fault && <p class="bad name" role="alert">{fault}</p>}
      {rows.length > 0 && !mayAct && sweep.parameters.length === 0 && !may(who, 'see_arguments', sweep.user) && <p class="quiet">{w.hidden}</p>}
      {rows.length > 0 && <SweepPlot rows={shown} columns={columns} now={now} nameOf={nameOf} />}
      <div class="panel">
        <div class="row apart">
          <h2>{w.table}</h2>
          <div class="row">
            {sort.key !== 'state' && <button class="plain" onClick={() => setSort({ key: 'state', down: false })}>{w.failures}{rows.some(hasFailed) ? ` (${amount(counts.failed)})` : ''}</button>}
            {sweep.parameters.slice(0, 6).map((name) => <Only key={name} name={name} value={only[name] ?? ''} values={[...new Set(rows.map((row) => row.values[name] ?? ''))]} set={(value) => setOnly({ ...only, [name]: value })} />)}
          </div>
        </div>
        <SweepTable rows={shown} columns={columns} now={now} nameOf={nameOf} sort={sort.key} down={sort.down} setSort={(key, down) => setSort({ key, down })} />
        <p class="quiet" aria-live="polite">{loading ? w.loadingMore(amount(rows.length)) : cut ? w.cut(amount(rows.length)) : ''}</p>
      </div>
      {act === 'requeue' && <VerbDialog verb="requeue" selector="all" query={{ array, state: 'failed' }} close={() => setAct(null)} />}
      {act === 'cancel' && <VerbDialog verb="cancel" selector="all" query={{ array, state: 'waiting,active' }} close={() => setAct(null)} />}
    </article>
  );
}

// Only jobs with this value; not offered where there are too many to choose from.
function Only({ name, value, values, set }: { name: string; value: string; values: string[]; set: (value: string) => void }) {
  const w = useWords(words);
  if (values.length < 2 || values.length > 100) return null;
  const sorted = values.filter(Boolean).sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  return (
    <label class="sweep-only"><span class="quiet name">{name}</span> <select value={value} aria-label={`${w.filter} ${name}`} onChange={(event) => set(event.currentTarget.value)}><option value="">{w.any}</option>{sorted.map((one) => <option key={one} value={one}>{one.length > 40 ? `${one.slice(0, 39)}…` : one}</option>)}</select></label>
  );
}
