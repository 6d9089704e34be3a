// What was asked for: needs, limits, dependencies, places.
import type { ComponentChildren } from 'preact';
import type { JobDetails } from '../../api/client';
import { hrefOf } from '../../app/route';
import { bytes, duration, moment, momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import { bandOf, verbWords } from '../../parts/verbs';
import { words } from './words';

export function Facts({ job }: { job: JobDetails }) {
  const w = useWords(words);
  const bands = useWords(verbWords);
  const { needs } = job;
  const { least, most } = needs.gpus;
  const cards = most === 0 ? w.noCards : most === 'all' ? w.allCards : least === most ? String(least) : `${least}–${most}`;
  const preempt = { auto: w.preemptAuto, cooperative: w.preemptCooperative, never: w.preemptNever }[job.preempt];
  return (
    <section class="panel" aria-label={w.asked}>
      <h2>{w.asked}</h2>
      <dl class="job-facts long">
        <Fact word={w.priority}>{job.priority} <span class="quiet">{bands[bandOf(job.priority)]}</span></Fact>
        <Fact word={w.cards}>{cards}{needs.exclusive && ` · ${w.exclusive}`}</Fact>
        {most !== 0 && <Fact word={w.vramEach}>{needs.vram_bytes > 0 ? bytes(needs.vram_bytes) : needs.share_percent > 0 ? '–' : w.wholeCard}</Fact>}
        {needs.share_percent > 0 && <Fact word={w.shareTitle}>{needs.share_percent} %</Fact>}
        {needs.only_cards.length > 0 && <Fact word={w.onlyCards}>{needs.only_cards.join(', ')}</Fact>}
        {needs.avoid_cards.length > 0 && <Fact word={w.avoidCards}>{needs.avoid_cards.join(', ')}</Fact>}
        {needs.card_type && <Fact word={w.cardType}>{needs.card_type}</Fact>}
        {needs.cpus > 0 && <Fact word={w.cpusTitle}>{needs.cpus}</Fact>}
        {needs.ram_bytes > 0 && <Fact word={w.ram}>{bytes(needs.ram_bytes)}</Fact>}
        <Fact word={w.timeLimit}>{job.time_limit_s > 0 ? duration(job.time_limit_s) : w.none}</Fact>
        {(job.vram_limit_bytes ?? 0) > 0 && <Fact word={w.vramLimit}>{bytes(job.vram_limit_bytes)}{job.vram_limit_by && <span class="quiet"> {job.vram_limit_by}</span>}</Fact>}
        <Fact word={w.preempt}>{preempt}{job.restartable && ` · ${w.restartable}`}</Fact>
        {job.moves > 0 && <Fact word={w.moves}>{w.movesCount(job.moves)}{job.away_s > 0 && ` · ${w.awayInAll(duration(job.away_s))}`}</Fact>}
        {job.checkpoint && <Fact word={w.savesItself}>{w.savesWithin(duration(job.checkpoint.grace_s))}{job.saved_attempt !== null && ` · ${w.savedAttempt(job.saved_attempt)}`}</Fact>}
        {job.retries > 0 && <Fact word={w.retries}>{w.retriesOf(job.failures, job.retries)}</Fact>}
        {job.after.length > 0 && (
          <Fact word={w.after}>{job.after.map((one) => <span key={one.job} class="after"><a href={`#/job/${one.job}`}>{one.job}</a> <span class="quiet">{{ ok: w.afterOk, any: w.afterAny, fail: w.afterFail }[one.kind]}</span></span>)}</Fact>
        )}
        {job.begin && <Fact word={w.begin}>{moment(job.begin)}</Fact>}
        {job.expire && <Fact word={w.expire}>{moment(job.expire)}</Fact>}
        {job.deadline && <Fact word={w.deadline}>{moment(job.deadline)}</Fact>}
        {job.group && <Fact word={w.group}><a class="name" href={hrefOf('jobs', { group: job.group })}>{job.group}</a></Fact>}
        {job.project && <Fact word={w.project}><bdi class="name">{job.project}</bdi></Fact>}
        {Object.entries(job.values).map(([name, value]) => <Fact key={name} word={`{${name}}`}><bdi class="name">{value}</bdi></Fact>)}
        <Fact word={w.submitted}><span title={momentExact(job.submitted_at)}>{moment(job.submitted_at)}</span></Fact>
        {job.working_directory && <Fact word={w.directory}><code class="name">{job.working_directory}</code></Fact>}
        {job.output_path && <Fact word={w.output}><code class="name">{job.output_path}</code></Fact>}
        {job.log_path && <Fact word={w.logPath}><code class="name">{job.log_path}</code></Fact>}
        {job.comment && <Fact word={w.comment}><bdi class="name">{job.comment}</bdi></Fact>}
        {job.notify && job.notify.length > 0 && <Fact word={w.notify}><bdi class="name">{job.notify.join(', ')}</bdi></Fact>}
        {job.mps && <Fact word="MPS">{w.yes}</Fact>}
        {job.without_mps && <Fact word="MPS"><span class="name">{job.without_mps}</span></Fact>}
        {job.estimate.runs > 0 && <Fact word={w.pastRuns}>{w.pastRunsOf(job.estimate.runs, job.estimate.vram_bytes === null ? '–' : bytes(job.estimate.vram_bytes), job.estimate.run_s === null ? '–' : duration(job.estimate.run_s))}</Fact>}
      </dl>
    </section>
  );
}
function Fact({ word, children }: { word: string; children: ComponentChildren }) {
  return <div><dt class="name">{word}</dt><dd>{children}</dd></div>;
}
