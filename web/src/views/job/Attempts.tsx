// The runs of a job's command, from its trail: when each began and how it ended.
import type { JobDetails, Schemas } from '../../api/client';
import { hrefOf } from '../../app/route';
import { bytes, duration, moment } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

interface Attempt {
  number: number;
  from: string;
  to: string | null;
  how: string;
  peak: number | null;
}
export function attemptsOf(job: JobDetails, trail: Schemas['TrailLine'][], history: Schemas['JobHistory'] | null): Attempt[] {
  const found: Attempt[] = [];
  for (let number = 1; number <= job.attempt; number += 1) {
    const lines = trail.filter((line) => line.attempt === number);
    const first = lines.find((line) => line.kind === 'running') ?? lines[0];
    const last = lines[lines.length - 1];
    if (!first || !last) continue;
    const now = number === job.attempt && job.ended_at === null;
    const series = history?.attempts.find((one) => one.attempt === number)?.series['vram_bytes_max'] ?? [];
    const known = series.filter((value): value is number => value !== null);
    found.push({ number, from: first.at, to: now ? null : last.at, how: now ? '' : last.text, peak: known.length > 0 ? Math.max(...known) : null });
  }
  return found.reverse();
}

export function Attempts({ job, trail, history }: { job: JobDetails; trail: Schemas['TrailLine'][]; history: Schemas['JobHistory'] | null; turn: number }) {
  const w = useWords(words);
  if (job.attempt < 2) return null;
  return (
    <>
      <h3>{w.attemptsTitle}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={w.attemptsTitle}>
        <table>
          <thead><tr><th scope="col">{w.attemptNumber}</th><th scope="col">{w.from}</th><th scope="col" class="number">{w.ran}</th><th scope="col" class="number">{w.peak}</th><th scope="col">{w.outcome}</th></tr></thead>
          <tbody>
            {attemptsOf(job, trail, history).slice(0, 20).map((one) => (
              <tr key={one.number}>
                <td><a href={hrefOf(`job/${job.id}`, { attempt: one.number })} aria-label={w.logOf(one.number)}>{one.number}</a></td>
                <td class="number">{moment(one.from)}</td>
                <td class="number">{duration(((one.to ? Date.parse(one.to) : Date.now()) - Date.parse(one.from)) / 1000)}</td>
                <td class="number">{bytes(one.peak)}</td>
                <td class="name">{one.how || w.runsNow}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
