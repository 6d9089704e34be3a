// Everything about one job: how it stands and why, what it uses of what it asked for, what happened
// to it, what it writes.
import { useState } from 'preact/hooks';
import type { ViewProps } from '../../app/App';
import { go, hrefOf } from '../../app/route';
import { may, useSession } from '../../app/session';
import { kEnded } from '../../api/jobs';
import { Owner } from '../../parts/Owner';
import { StateMark } from '../../parts/StateMark';
import { VerbDialog } from '../../parts/VerbDialog';
import { type Verb, fits, kVerbs, verbWords } from '../../parts/verbs';
import { useWords } from '../../words/words';
import type { JobDetails } from '../../api/client';
import { Advice } from './Advice';
import { Environment } from './Environment';
import { Facts } from './Facts';
import { Now } from './Now';
import { Trail } from './Trail';
import { Use } from './Use';
import { LogView } from './log/LogView';
import { useJob } from './useJob';
import { words } from './words';
import './job.css';

export function JobView({ route }: ViewProps) {
  const w = useWords(words);
  const id = Number(route.path[1] ?? '');
  const { who } = useSession();
  const story = useJob(id);
  const { job } = story;
  if (story.missing && !job) return <><h1>{w.job(id)}</h1><p class="panel name" role="alert">{story.fault} {w.missing}</p></>;
  if (!job) return <><h1>{w.job(id)}</h1><p class={story.fault ? 'bad name' : 'quiet'} role={story.fault ? 'alert' : 'status'}>{story.fault ?? w.loading}</p></>;
  const attempt = Math.min(Math.max(1, Number(route.query.get('attempt')) || job.attempt), Math.max(1, job.attempt));
  const stream = route.query.get('stream') === 'error' ? 'error' : 'output';
  const at = route.query.get('at');
  const choose = (next: number, of: 'output' | 'error') => go(hrefOf(`job/${id}`, { attempt: next === job.attempt ? undefined : next, stream: of === 'error' ? of : undefined }), true);
  const ended = kEnded.includes(job.state);
  const runs = !ended && attempt === job.attempt && job.started_at !== null;
  const logs = !job.lease && !job.adopted;
  return (
    <article class="job">
      <header class="job-title">
        <div class="job-title-words">
          <p class="quiet job-kind">{w.job(id)}{job.array !== null && <> · <a href={`#/sweep/${job.array}`}>{w.ofSweep(job.array)}</a></>}</p>
          <h1 class="name"><bdi>{job.name ?? short(job.command)}</bdi></h1>
          <p class="row job-line"><StateMark state={job.state} /> <Owner user={job.user} /> {job.tenant !== job.user && <span class="quiet name">{job.tenant}</span>} {job.tags.map((tag) => <a key={tag} class="tag name" href={hrefOf('jobs', { tag })}>{tag}</a>)}</p>
        </div>
        <Actions job={job} maySteer={may(who, 'steer_job', job.user)} mayChange={may(who, 'change_job', job.user)} maySubmit={may(who, 'act')} />
      </header>
      {story.fault && <p class="bad name" role="alert">{story.fault}</p>}
      <div class="command-line" tabIndex={0} role="region" aria-label={w.commandLine}><code class="name">{job.command}</code></div>
      <div class="job-columns">
        <div>
          <Now job={job} why={story.why} />
          {logs && job.attempt > 0 && (may(who, 'read_log', job.user) ? <LogView job={id} attempt={attempt} attempts={job.attempt} running={runs} hasErrors={Boolean(job.error_path)} stream={stream} at={at === null ? null : Number(at)} choose={choose} /> : <p class="panel quiet">{w.logPrivate}</p>)}
          <Trail trail={story.trail} />
        </div>
        <div>
          <Use job={job} turn={story.turn} trail={story.trail} />
          <Advice job={job} maySubmit={may(who, 'act')} />
          <Facts job={job} />
          {job.private_shown && job.environment && <Environment list={job.environment} />}
        </div>
      </div>
    </article>
  );
}

function short(command: string): string {
  const first = command.split('\n')[0] ?? '';
  return first.length > 80 ? `${first.slice(0, 79)}…` : first;
}

function Actions({ job, maySteer, mayChange, maySubmit }: { job: JobDetails; maySteer: boolean; mayChange: boolean; maySubmit: boolean }) {
  const w = useWords(words);
  const verbs = useWords(verbWords);
  const [verb, setVerb] = useState<Verb | null>(null);
  // A lease has no command that could run again, and an adopted process neither.
  const possible = kVerbs.filter((one) => fits(one, job.state) && (one === 'priority' ? mayChange : maySteer) && (one !== 'requeue' || (!job.lease && !job.adopted)));
  return (
    <div class="row job-actions">
      {possible.map((one) => <button key={one} class={one === 'cancel' ? 'danger' : ''} onClick={() => setVerb(one)}>{verbs[one]}</button>)}
      {maySubmit && !job.lease && !job.adopted && <a class="button" href={hrefOf('submit', { from: job.id })}>{w.again}</a>}
      {verb && <VerbDialog verb={verb} selector={String(job.id)} priority={job.priority} close={() => setVerb(null)} />}
    </div>
  );
}
