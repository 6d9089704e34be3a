// Why did a job not start at that moment?
import { useEffect, useState } from 'preact/hooks';
import type { MomentWhy } from '../../api/timeline';
import { moment } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

export function WhyBox({ why, fault, at, job, ask }: { why: MomentWhy | null; fault: string | null; at: number; job: number | null; ask: (job: number | null) => void }) {
  const w = useWords(words);
  const [text, setText] = useState(job === null ? '' : String(job));
  useEffect(() => setText(job === null ? '' : String(job)), [job]);
  const submit = (event: Event) => {
    event.preventDefault();
    const found = /^\s*#?(\d{1,15})\s*$/.exec(text)?.[1];
    ask(found === undefined ? null : Number(found));
  };
  return (
    <form class="why-box" onSubmit={submit}>
      <h3>{w.whyNot}</h3>
      <p class="row">
        <input inputMode="numeric" aria-label={w.jobNumber} placeholder={w.jobNumber} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <button class="main">{w.ask}</button>
      </p>
      <div aria-live="polite">
        {fault !== null && job !== null && <p class="bad name">{fault}</p>}
        {fault === null && why && why.job === job && (
          <>
            <p><strong>{w.whyThen(why.job, moment(at))}:</strong> {w[`whyState_${why.state}`]}</p>
            <ul>
              {why.reasons.map((reason, index) => (
                <li key={index} class="name">
                  {reason.message}
                  {reason.helps && <span class="quiet"> {w.helps(reason.helps)}</span>}
                  {reason.no_room && <span class="quiet"> {w.noRoom(reason.no_room)}</span>}
                </li>
              ))}
            </ul>
            {why.helps && !why.reasons.some((reason) => reason.helps === why.helps) && <p class="name">{w.helps(why.helps)}</p>}
          </>
        )}
      </div>
    </form>
  );
}
