// How the job stands, why, until when, and what would help: each help is a button that first says
// what it would do.
import { useState } from 'preact/hooks';
import type { JobDetails, Reason, Schemas } from '../../api/client';
import { may, useSession } from '../../app/session';
import { kEnded } from '../../api/jobs';
import { type Action, ActionDialog } from '../../parts/ActionDialog';
import { useNow } from '../../parts/useNow';
import { causeBeside } from '../../words/causes';
import { amount, bytes, duration, moment, momentExact } from '../../words/figures';
import { clauses } from '../../words/marks';
import { useWords } from '../../words/words';
import { type Fix, fixesOf } from './helps';
import { words } from './words';

export function Now({ job, why }: { job: JobDetails; why: Schemas['Explained'] | null }) {
  const w = useWords(words);
  const now = useNow();
  const ended = kEnded.includes(job.state);
  const since = (at: string) => duration((now - Date.parse(at)) / 1000);
  return (
    <section class="panel" aria-label={w.how}>
      <h2>{ended ? w.howEnded : why && job.state !== 'running' ? w.whyWaits : w.how}</h2>
      {ended && <Outcome job={job} />}
      {!ended && job.started_at && <p>{w.runsSince(moment(job.started_at), since(job.started_at))}{job.gpus.length > 0 && <>{w.onCards(job.gpus.map((card) => card.number).join(', '))}</>}{job.attempt > 1 && <> · {w.attempt(job.attempt)}</>}</p>}
      {!ended && !job.started_at && <p>{w.waitsSince(moment(job.submitted_at), since(job.submitted_at))}{why?.position != null && <> · {w.position(why.position)}</>}</p>}
      {job.aside && <AsideNow job={job} since={since} />}
      {job.progress && job.progress.total > 0 && (
        <p class="job-progress"><progress value={job.progress.step} max={job.progress.total} aria-label={w.progress} /> <span class="number">{w.step(amount(job.progress.step), amount(job.progress.total))}</span></p>
      )}
      {job.said && <p><span class="quiet">{w.said}</span> <bdi class="name mono">{job.said}</bdi></p>}
      {!ended && job.expected_end && <p>{w.expectedEnd(moment(job.expected_end))}</p>}
      {why && why.reasons.length > 0 && <ul class="reasons">{why.reasons.map((reason, i) => <Why key={i} job={job} reason={reason} />)}</ul>}
      {!ended && !why && job.reason && <p class="name">{job.reason}</p>}
      {why && !job.started_at && <Start why={why} />}
      {job.hold_reason === 'crash_guard' && <p class="warn">{w.crashGuard}</p>}
      {job.retry_at && <p>{w.retryAt(moment(job.retry_at))}</p>}
      {job.deadline_warning && <p class="warn name">! {job.deadline_warning}</p>}
      {job.move_problem && <p class="warn name">! {w.moveProblem} {job.move_problem}</p>}
      {job.near_cpus && <p class="quiet name">{job.near_cpus}</p>}
    </section>
  );
}

function Outcome({ job }: { job: JobDetails }) {
  const w = useWords(words);
  const ran = job.started_at && job.ended_at ? duration((Date.parse(job.ended_at) - Date.parse(job.started_at)) / 1000) : null;
  const how = clauses([
    causeBeside(job.cause),
    job.exit_code !== null ? w.exit(job.exit_code) : '',
    job.signal !== null ? w.signal(job.signal) : '',
  ]);
  return (
    <>
      <p>{how && <strong class={job.state === 'failed' ? 'bad' : ''}>{how}</strong>} {job.ended_at && <span title={momentExact(job.ended_at)}>{ran ? w.ranUntil(ran, moment(job.ended_at)) : w.endedAt(moment(job.ended_at))}</span>}{job.attempt > 1 && <> · {w.attempts(job.attempt)}</>}</p>
      {job.message && <p class="name">{job.message}</p>}
    </>
  );
}

function AsideNow({ job, since }: { job: JobDetails; since: (at: string) => string }) {
  const w = useWords(words);
  const { aside } = job;
  if (!aside) return null;
  const mechanism = { freeze: w.freeze, checkpoint: w.checkpoint, cooperative: w.cooperative, requeue: w.requeued }[aside.mechanism];
  return (
    <div class="aside-now">
      <p><strong><span aria-hidden="true">⇄ </span>{w.asideSince(since(aside.since))}</strong> {aside.for !== null ? <a href={`#/job/${aside.for}`}>{w.asideFor(aside.for)}</a> : aside.by_hand ? w.asideByHand : aside.idle ? w.asideIdle : ''}</p>
      <p class="quiet">{mechanism}{aside.host_bytes > 0 && <> · {w.inHostRam(bytes(aside.host_bytes))}</>}{job.away_s > 0 && <> · {w.awayInAll(duration(job.away_s))}</>}</p>
      {aside.problem && <p class="warn name">! {aside.problem}</p>}
      {aside.ends_at && <p class="bad">{w.endsAt(moment(aside.ends_at))}</p>}
    </div>
  );
}

function Start({ why }: { why: Schemas['Explained'] }) {
  const w = useWords(words);
  if (why.estimated_start) {
    return (
      <dl class="start-times">
        <div><dt>{why.start_guessed ? w.startGuessed : w.start}</dt><dd title={momentExact(why.estimated_start)}>{moment(why.estimated_start)} <span class="quiet">({w.inTime(duration((Date.parse(why.estimated_start) - Date.now()) / 1000))})</span></dd></div>
        <div><dt>{w.latestStart}</dt><dd>{why.latest_start ? moment(why.latest_start) : <span class="quiet">{w.latestUnknown}</span>}</dd></div>
      </dl>
    );
  }
  return why.start_unknown ? <p class="quiet name">{w.startUnknown} {why.start_unknown}</p> : null;
}

function Why({ job, reason }: { job: JobDetails; reason: Reason }) {
  const w = useWords(words);
  const { who } = useSession();
  const [action, setAction] = useState<Action | null>(null);
  const fixes = fixesOf(reason.helps);
  const id = job.id;
  const actions: { label: string; action: Action }[] = [];
  if (may(who, 'change_job', job.user)) for (const fix of fixes) actions.push({ label: labelOf(fix, w), action: { title: labelOf(fix, w), method: 'PATCH', path: `/v1/jobs/${id}`, body: fix.patch, about: w.aboutFix } });
  if (may(who, 'steer_job', job.user)) {
    if (reason.helps?.endsWith(`gpusched release ${id}`)) actions.push({ label: w.release, action: { title: w.release, method: 'POST', path: `/v1/jobs/${id}/release`, body: {} } });
    if (reason.helps?.endsWith(`gpusched resume ${id}`)) actions.push({ label: w.resume, action: { title: w.resume, method: 'POST', path: `/v1/jobs/${id}/resume`, body: {} } });
    if (reason.helps?.endsWith(`set ${id} --vram-limit 0`)) actions.push({ label: w.noLimit, action: { title: w.noLimit, method: 'PATCH', path: `/v1/jobs/${id}`, body: { vram_limit_bytes: 0 } } });
  }
  return (
    <li>
      <p class="name">{reason.message}</p>
      {reason.jobs.length > 0 && <p class="holders"><span class="quiet">{w.holders}</span> {reason.jobs.slice(0, 12).map((holder) => <a key={holder} href={`#/job/${holder}`}>{holder}</a>)}{reason.jobs.length > 12 && <span class="quiet">… {reason.jobs.length}</span>}</p>}
      {reason.no_room && <p class="quiet name">{w.noRoom} {reason.no_room}</p>}
      {reason.helps && actions.length === 0 && <p class="name"><span class="quiet">{w.helps}</span> {reason.helps}</p>}
      {actions.length > 0 && <p class="row"><span class="quiet">{w.helps}</span> {actions.map((one) => <button key={one.label} onClick={() => setAction(one.action)}>{one.label}</button>)}</p>}
      {action && <ActionDialog action={action} close={() => setAction(null)} />}
    </li>
  );
}

export function labelOf(fix: Fix, w: { [K in Fix['field']]: (value: string) => string }): string {
  return w[fix.field](fix.value);
}
