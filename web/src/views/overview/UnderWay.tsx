// What runs and is on no card, and sweeps of which nothing waits any more.
import type { Machine } from '../../api/machine';
import { sweepWaits } from '../../api/queue';
import { Owner } from '../../parts/Owner';
import { StateMark } from '../../parts/StateMark';
import { StateStrip } from '../../parts/StateStrip';
import { duration, secondsSince } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

const kShown = 12;

export function UnderWay({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const sweeps = machine.sweeps.filter((one) => !sweepWaits(one) && one.counts.running + one.counts.starting + one.counts.paused > 0).slice(0, kShown);
  const running = new Set(['starting', 'running', 'pausing', 'paused', 'resuming']);
  const alone = [...machine.jobs.values()].filter((job) => running.has(job.state) && job.gpus.length === 0 && job.array === null).slice(0, kShown);
  if (sweeps.length + alone.length === 0) return null;
  return (
    <section class="panel" aria-label={w.underWay}>
      <h2>{w.underWay} <span class="quiet panel-note">{w.underWayNote}</span></h2>
      <ul class="under-way">
        {sweeps.map((one) => (
          <li key={`s${one.id}`}>
            <a class="queue-link" href={`#/sweep/${one.id}`}><span class="number">{w.sweep(one.id)}</span> <span class="clip name"><bdi>{one.name ?? one.command}</bdi></span></a>
            <Owner user={one.user} />
            <StateStrip counts={one.counts} label={w.strip} />
          </li>
        ))}
        {alone.map((one) => (
          <li key={one.id}>
            <a class="queue-link" href={`#/job/${one.id}`}><span class="number">#{one.id}</span> <span class="clip name"><bdi>{one.name ?? one.command}</bdi></span></a>
            <Owner user={one.user} />
            <span><StateMark state={one.state} /> <span class="quiet number">{w.noCard} · {duration(secondsSince(one.started_at))}</span></span>
          </li>
        ))}
      </ul>
    </section>
  );
}
