// When the job would start, on which card, or why it would wait and what would help.
import type { Schemas } from '../../api/client';
import { type Fix, fixesOf } from '../job/helps';
import { words as jobWords } from '../job/words';
import { amount, duration, moment } from '../../words/figures';
import { useWords } from '../../words/words';
import type { PreviewState } from './usePreview';
import type { Draft } from './draft';
import { words } from './words';

interface Props {
  state: PreviewState;
  // Jobs as the form counts them; null: only the daemon knows.
  count: number | null;
  held: boolean;
  fix: (change: Partial<Draft>) => void;
  // The daemon's refusal stands at a field already.
  placed: boolean;
}

export function changeOf(fix: Fix): Partial<Draft> {
  switch (fix.field) {
    case 'anyCards':
      return { onlyCards: '', avoidCards: '', cardType: '' };
    case 'mem':
      return { ram: fix.value };
    default:
      return { [fix.field]: fix.value };
  }
}

export function Preview({ state, count, held, fix, placed }: Props) {
  const w = useWords(words);
  const { answer } = state;
  const total = count ?? answer?.count ?? 1;
  return (
    <section class={`panel preview${state.asking ? ' asking' : ''}`} aria-label={w.preview} aria-busy={state.asking}>
      <h2>{w.preview}</h2>
      <div aria-live="polite">
        {!answer && !state.fault && <p class="quiet">{state.asking ? w.asking : w.previewEmpty}</p>}
        {state.fault && (placed ? <p class="quiet">{w.previewFault}</p> : <p class="bad name">! {state.fault}</p>)}
        {answer && <Start answer={answer} held={held} fix={fix} />}
        {answer?.warning && <p class="warn name">! {answer.warning}</p>}
      </div>
      {answer && answer.commands.length > 0 && (
        <>
          <h3>{w.runs}{total > 1 && <span class="quiet"> · {w.jobsCount(amount(total))}</span>}</h3>
          <ol class="preview-commands">
            {answer.commands.slice(0, Math.min(3, total)).map((command, i) => (
              <li key={i}>
                {answer.jobs[i]?.name && <bdi class="name strong">{answer.jobs[i]?.name} </bdi>}<code class="name">{command.length > 400 ? `${command.slice(0, 400)}…` : command}</code>
                <span class="quiet name"> {w.inDirectory(answer.jobs[i]?.working_directory ?? '')}{answer.jobs[i]?.output_path ? ` → ${answer.jobs[i]?.output_path ?? ''}` : ''}</span>
              </li>
            ))}
          </ol>
          {total > 3 && <p class="quiet">{w.andMore(amount(total - 3))}</p>}
        </>
      )}
    </section>
  );
}

// In one line, where the rest is out of sight.
export function PreviewShort({ answer, held }: { answer: Schemas['Previewed']; held: boolean }) {
  const w = useWords(words);
  const seconds = answer.estimated_start ? (Date.parse(answer.estimated_start) - Date.now()) / 1000 : null;
  const text = answer.starts_now ? w.startsNow(answer.gpus.map((card) => card.number).join(', ')) : held ? w.startsHeld : seconds === null ? w.waitsUnknown : w.waitsFor(duration(seconds));
  return <span class={`submit-when${answer.starts_now ? ' good' : ''}`}><span aria-hidden="true">{answer.starts_now ? '▶ ' : '○ '}</span>{text}</span>;
}

function Start({ answer, held, fix }: { answer: Schemas['Previewed']; held: boolean; fix: (change: Partial<Draft>) => void }) {
  const w = useWords(words);
  const j = useWords(jobWords);
  if (answer.starts_now) return <p class="preview-start good"><span aria-hidden="true">▶ </span>{w.startsNow(answer.gpus.map((card) => card.number).join(', '))}</p>;
  const seconds = answer.estimated_start ? (Date.parse(answer.estimated_start) - Date.now()) / 1000 : null;
  const fixes = answer.reasons.flatMap((reason) => fixesOf(reason.helps));
  return (
    <>
      <p class="preview-start"><span aria-hidden="true">○ </span>{held ? w.startsHeld : seconds === null ? w.waitsUnknown : w.waitsFor(duration(seconds))}</p>
      {answer.estimated_start && <p class="quiet">{w.expected(moment(answer.estimated_start))}{answer.latest_start && `, ${w.latest(moment(answer.latest_start))}`}</p>}
      {fixes.length > 0 && <p class="row">{w.helps} {fixes.map((one) => <button key={one.field} type="button" onClick={() => fix(changeOf(one))}>{j[one.field](one.value)}</button>)}</p>}
      <ul class="reasons">
        {answer.reasons.map((reason, i) => (
          <li key={i}>
            <span class="name">{reason.message}</span>
            {reason.jobs.length > 0 && <p class="holders quiet">{w.holders} {reason.jobs.slice(0, 10).map((id) => <a key={id} href={`#/job/${id}`}>{id}</a>)}</p>}
            {reason.helps && fixesOf(reason.helps).length === 0 && <p class="quiet name">{reason.helps}</p>}
          </li>
        ))}
      </ul>
      {answer.start_unknown && <p class="quiet name">{answer.start_unknown}</p>}
    </>
  );
}
