// What the machine looked like at a moment of the past.
import { type MomentAnswer, type MomentJob, isMissingRoute, useKept } from '../../api/timeline';
import { target } from '../../api/client';
import { Owner } from '../../parts/Owner';
import { ownerColour } from '../../parts/owner';
import { bytes, duration, momentExact, percent } from '../../words/figures';
import { useWords } from '../../words/words';
import { WhyBox } from './WhyBox';
import { writeTime } from './range';
import { words } from './words';

function JobLine({ job, at }: { job: MomentJob; at: number }) {
  const w = useWords(words);
  return (
    <li>
      <a class="moment-job" href={`#/job/${job.id}`}><span class="number">#{job.id}</span> <span class="clip name"><bdi>{job.name ?? ''}</bdi></span></a>
      <Owner user={job.user} />
      <span class="quiet number">{job.cards.length > 0 ? `${w.cardHead} ${job.cards.join(', ')} · ` : ''}{w.since(duration((at - Date.parse(job.from)) / 1000))}</span>
    </li>
  );
}

interface Props {
  at: number;
  job: number | null;
  askJob: (job: number | null) => void;
  back: () => void;
  copy: () => void;
}
export function MomentPanel({ at, job, askJob, back, copy }: Props) {
  const w = useWords(words);
  const { value, fault, busy } = useKept<MomentAnswer>(target('/v1/moment', { at: writeTime(at) }));
  // Asked for by itself: a number that no job has leaves the rest as it is.
  const asked = useKept<MomentAnswer>(job === null ? null : target('/v1/moment', { at: writeTime(at), job }));
  const tooOld = fault !== null && isMissingRoute(fault);
  return (
    <section class="panel moment" aria-label={w.moment(momentExact(at))} aria-busy={busy}>
      <div class="row apart">
        <h2>{w.moment(momentExact(at))}</h2>
        <div class="row">
          <button onClick={copy}>{w.copyLink}</button>
          <button onClick={back}>{w.backToNow}</button>
        </div>
      </div>
      {fault && <p class={tooOld ? 'quiet' : 'bad name'} role="status">{tooOld ? w.momentTooOld : fault.message}</p>}
      {value && (
        <div class={`moment-body ${fault ? 'old' : ''}`}>
          <div>
            <h3>{w.cardsThen}</h3>
            <ul class="moment-cards">
              {value.cards.map((card) => (
                <li key={card.uuid} class="moment-card">
                  <span class="card-number">{card.number}</span>
                  <span class="moment-bar" role="img" aria-label={`${w.used}: ${card.used_bytes === null ? '–' : bytes(card.used_bytes)} / ${bytes(card.vram_bytes)}`}>
                    {card.used_bytes !== null && <span style={{ width: `${Math.min(100, (card.used_bytes / Math.max(1, card.vram_bytes)) * 100)}%`, background: moreThanOne(value, card.jobs) }} />}
                  </span>
                  <span class="moment-figures number">
                    <span title={w.used}>{bytes(card.used_bytes)}</span>
                    <span title={w.load}>{percent(card.busy_percent)}</span>
                    <span title={w.heat}>{card.temperature_celsius === null ? '–' : `${Math.round(card.temperature_celsius)} °C`}</span>
                    <span title={w.power}>{card.power_watts === null ? '–' : `${Math.round(card.power_watts)} W`}</span>
                    {card.drained && <span class="warn">‖ {w.drainedShort}</span>}
                  </span>
                </li>
              ))}
            </ul>
            <h3>{w.ranThen} <span class="quiet number">{value.running.length}</span></h3>
            {value.running.length === 0 && <p class="quiet">{w.nobodyRan}</p>}
            <ul class="moment-list">{value.running.map((one) => <JobLine key={one.id} job={one} at={at} />)}</ul>
            {value.aside.length > 0 && <h3>{w.asideThen} <span class="quiet number">{value.aside.length}</span></h3>}
            <ul class="moment-list">{value.aside.map((one) => <JobLine key={one.id} job={one} at={at} />)}</ul>
          </div>
          <div>
            <WhyBox why={asked.value?.why ?? null} fault={asked.fault?.message ?? null} at={at} job={job} ask={askJob} />
            <h3>{w.waitedThen} <span class="quiet number">{value.waiting.length + value.waiting_left_out}</span></h3>
            {value.waiting.length === 0 && <p class="quiet">{w.nobodyWaited}</p>}
            <ol class="moment-list">
              {value.waiting.map((one) => (
                <li key={one.id}>
                  <a class="moment-job" href={`#/job/${one.id}`}><span class="number">#{one.id}</span> <span class="clip name"><bdi>{one.name ?? ''}</bdi></span></a>
                  <Owner user={one.user} />
                  <span class="quiet number">{w.priority(one.priority)} · {w.since(duration((at - Date.parse(one.submitted_at)) / 1000))}</span>
                </li>
              ))}
            </ol>
            {value.waiting_left_out > 0 && <p class="quiet">{w.moreWaited(value.waiting_left_out)}</p>}
          </div>
          {value.limits_of_this_answer && <p class="quiet moment-limits name"><strong>{w.limits}:</strong> {value.limits_of_this_answer}</p>}
        </div>
      )}
    </section>
  );
}
// The owner's colour where one owner had the card.
function moreThanOne(answer: MomentAnswer, jobs: number[]): string {
  const users = new Set(answer.running.filter((one) => jobs.includes(one.id)).map((one) => one.user));
  const [only] = users;
  return users.size === 1 && only !== undefined ? ownerColour(only) : 'var(--line-strong)';
}
