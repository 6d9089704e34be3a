// One row of the queue: a job, or a sweep as a whole.
import type { Explanation, Job, Sweep } from '../../api/client';
import { type QueueRow as Row, waits } from '../../api/queue';
import { memo } from '../../parts/memo';
import { Owner } from '../../parts/Owner';
import { StateMark } from '../../parts/StateMark';
import { StateStrip } from '../../parts/StateStrip';
import { verbWords } from '../../parts/verbs';
import { amount, moment, momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import { needText } from './need';
import { words } from './words';

interface Props {
  row: Row;
  job: Job | undefined;
  sweep: Sweep | undefined;
  explanation: Explanation | undefined;
  mine: boolean;
  mayAct: boolean;
  cancel: (row: Row) => void;
  hold: (row: Row) => void;
}

function Start({ job, explanation }: { job: Job; explanation: Explanation | undefined }) {
  const w = useWords(words);
  if (job.state === 'held') return <span class="quiet">–</span>;
  if (!waits(job)) return <span class="quiet">{w.startedMeanwhile}</span>;
  const from = explanation?.estimated_start ?? job.estimated_start;
  const latest = explanation?.latest_start ?? null;
  if (!from) {
    const why = explanation?.start_unknown ?? job.start_unknown;
    return <span class="quiet start-unknown name" title={why ?? undefined}>{w.unknownStart}{why ? `: ${why}` : ''}</span>;
  }
  if (Date.parse(from) - Date.now() < 5000 && !latest) return <span>{w.anyMoment}</span>;
  return (
    <span class="number" title={w.startTold(job.id, momentExact(from), latest ? momentExact(latest) : null)}>
      {latest && latest !== from ? w.range(moment(from), moment(latest)) : w.about(moment(from))}
    </span>
  );
}

export const QueueRow = memo(function QueueRow({ row, job, sweep, explanation, mine, mayAct, cancel, hold }: Props) {
  const w = useWords(words);
  const v = useWords(verbWords);
  const id = row.id;
  const isSweep = row.kind === 'sweep';
  const user = (isSweep ? sweep?.user : job?.user) ?? '';
  const name = (isSweep ? sweep?.name ?? sweep?.command : job?.name ?? job?.command) ?? '';
  const state = isSweep ? 'queued' : job?.state ?? 'queued';
  const isHeld = isSweep ? sweep !== undefined && sweep.counts.queued === 0 && sweep.counts.held > 0 : state === 'held';
  const why = (isSweep ? sweep?.reason : isHeld ? w.heldRow : explanation?.reasons[0]?.message ?? job?.reason) ?? '';
  const over = !isSweep && job !== undefined && !waits(job);
  return (
    <div class={`queue-row ${over ? 'over' : ''} ${mine ? 'mine' : ''}`} data-state={state} data-row={`${row.kind}${id}`} role="presentation">
      <span role="cell" class="queue-place number" title={row.place === null ? w.placeUnknown : w.placeTold(row.place)}>{row.place ?? '·'}</span>
      <span role="cell" class="queue-job">
        <a class="queue-link" href={isSweep ? `#/sweep/${id}` : `#/job/${id}`}>
          <span class="number">{isSweep ? w.sweep(id) : `#${id}`}</span> <span class="clip name"><bdi>{name}</bdi></span>
        </a>
        <span class="queue-owner"><Owner user={user} />{over || isHeld ? <StateMark state={isSweep ? 'held' : state} /> : null}</span>
      </span>
      <span role="cell" class="queue-need">
        {isSweep && sweep ? <StateStrip counts={sweep.counts} label={w.strip} /> : job ? <span class="clip">{needText(job.needs)}</span> : null}
      </span>
      <span role="cell" class="queue-why quiet name" title={why}>{why}</span>
      <span role="cell" class="queue-start">{isSweep ? <span class="quiet">{sweep ? w.sweepOf(amount(sweep.of)) : ''}</span> : job ? <Start job={job} explanation={explanation} /> : null}</span>
      <span role="cell" class="queue-act">
        {mayAct && (
          <>
            <button class="plain" onClick={() => hold(row)} aria-label={isHeld ? (isSweep ? w.releaseSweep(id) : w.releaseJob(id)) : isSweep ? w.holdSweep(id) : w.holdJob(id)} title={isHeld ? v.release : v.hold}><span aria-hidden="true">{isHeld ? '○' : '‖'}</span></button>
            <button class="plain" onClick={() => cancel(row)} aria-label={isSweep ? w.cancelSweep(id) : w.cancelJob(id)} title={v.cancel}><span aria-hidden="true">✕</span></button>
          </>
        )}
      </span>
    </div>
  );
});
