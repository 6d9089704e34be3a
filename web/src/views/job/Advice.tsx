// What past runs say about what was asked for.
import type { JobDetails } from '../../api/client';
import { hrefOf } from '../../app/route';
import { bytes } from '../../words/figures';
import { useWords } from '../../words/words';
import { sizeText } from '../submit/amounts';
import { words } from './words';

export function Advice({ job, maySubmit }: { job: JobDetails; maySubmit: boolean }) {
  const w = useWords(words);
  if (!job.advice) return null;
  const suggested = job.estimate.suggested_vram_bytes;
  return (
    <section class="panel advice" aria-label={w.advice}>
      <h2>{w.advice}</h2>
      <p class="name">{job.advice}</p>
      {suggested && maySubmit && !job.lease && !job.adopted && <p><a class="button" href={hrefOf('submit', { from: job.id, vram: sizeText(suggested) })}>{w.againWith(bytes(suggested, 0))}</a></p>}
    </section>
  );
}
