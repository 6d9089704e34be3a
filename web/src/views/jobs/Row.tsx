// One row of the list. On a narrow screen the same cells stand in two lines.
import { Component, type ComponentChildren } from 'preact';
import { Owner } from '../../parts/Owner';
import { StateMark } from '../../parts/StateMark';
import { StateStrip } from '../../parts/StateStrip';
import { causeBeside } from '../../words/causes';
import { amount, bytes, duration, moment, momentExact } from '../../words/figures';
import { clauses } from '../../words/marks';
import { useWords } from '../../words/words';
import type { JobRow, Line } from './lines';
import { words } from './words';

interface Props {
  line: Line;
  // 0 where the row has no clock that goes on.
  now: number;
  selected: boolean;
  current: boolean;
  // With the key Shift: all from the last one to here.
  select: (range: boolean) => void;
}

// Drawn again only when something of it is another: while one scrolls through thousands nothing is.
export class Row extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const { line, now, selected, current } = this.props;
    return next.line !== line || next.now !== now || next.selected !== selected || next.current !== current;
  }
  override render() {
    return <Cells {...this.props} />;
  }
}

function Cells({ line, now, selected, current, select }: Props) {
  const w = useWords(words);
  const job = line.kind === 'job' ? line.job : null;
  const sweep = line.kind === 'sweep' ? line.sweep : null;
  const one = job ?? line.kind === 'sweep' ? (job ?? (sweep as NonNullable<typeof sweep>)) : null;
  if (!one) return null;
  const href = job ? `#/job/${line.id}` : `#/sweep/${line.id}`;
  return (
    <div role="presentation" class={`job-row${selected ? ' selected' : ''}${current ? ' current' : ''}`}>
      <Cell name="pick">
        <label class="pick">
          <input type="checkbox" tabIndex={-1} checked={selected} aria-label={job ? w.selectJob(line.id) : w.selectSweep(line.id)} onClick={(event) => select(event.shiftKey)} onChange={() => undefined} />
        </label>
      </Cell>
      <Cell name="id"><a href={href} data-line={line.id} class="number">{line.id}{sweep && <span class="quiet">–{sweep.last}</span>}</a></Cell>
      <Cell name="state">{job ? <StateMark state={job.state} /> : <StateStrip counts={(sweep as NonNullable<typeof sweep>).counts} />}</Cell>
      <Cell name="name">
        <a class="job-name" href={href} tabIndex={-1}>
          {one.name && <bdi class="name strong">{one.name}</bdi>} <bdi class="name command">{one.command}</bdi>
        </a>
      </Cell>
      <Cell name="user"><Owner user={one.user} /></Cell>
      <Cell name="priority"><span class="number" title={w.priority}>{one.priority}</span></Cell>
      <Cell name="cards">{job ? <Cards job={job} /> : <span class="number">{sweep?.cards.join(', ')}</span>}</Cell>
      <Cell name="need">{job && <span class="number">{need(job, w)}</span>}</Cell>
      <Cell name="time"><span class="number">{job ? timeOf(job, now) : ''}</span></Cell>
      <Cell name="submitted"><time dateTime={one.submitted_at} title={momentExact(one.submitted_at)} class="number">{moment(one.submitted_at)}</time></Cell>
      <Cell name="why"><bdi class="name">{job ? <Why job={job} /> : (sweep?.reason ?? '')}</bdi></Cell>
    </div>
  );
}

function Cell({ name, children }: { name: string; children: ComponentChildren }) {
  return <div role="cell" class={`cell clip c-${name}`}>{children}</div>;
}

function Cards({ job }: { job: JobRow }) {
  const w = useWords(words);
  if (job.gpus.length > 0) return <span class="number">{job.gpus.map((card) => card.number).join(', ')}</span>;
  const { least, most } = job.needs.gpus;
  if (most === 0) return <span class="quiet">{w.noCards}</span>;
  return <span class="quiet number">×{most === 'all' ? `${least}+` : most === least ? least : `${least}–${most}`}</span>;
}

function need(job: JobRow, w: { whole: string }): string {
  if (job.needs.gpus.most === 0) return '';
  if (job.needs.vram_bytes > 0) return bytes(job.needs.vram_bytes, 0);
  return job.needs.share_percent > 0 ? `${job.needs.share_percent} %` : w.whole;
}

// How long it ran or runs; of one that waits, how long it has waited.
function timeOf(job: JobRow, now: number): string {
  const from = Date.parse(job.started_at ?? job.submitted_at);
  const to = job.ended_at ? Date.parse(job.ended_at) : now;
  if (job.ended_at && !job.started_at) return '';
  return duration((to - from) / 1000);
}

function Why({ job }: { job: JobRow }) {
  const w = useWords(words);
  if (job.state === 'failed' || job.state === 'cancelled') {
    const how = job.exit_code !== null && job.exit_code !== 0 ? w.exit(job.exit_code) : job.signal !== null ? w.signal(job.signal) : '';
    return <>{clauses([causeBeside(job.cause), how])}</>;
  }
  if (job.progress && job.progress.total > 0 && job.state !== 'completed') {
    const { step, total } = job.progress;
    return <><progress value={step} max={total} aria-hidden="true" /> {w.step(amount(step), amount(total))}</>;
  }
  const at = job.estimated_start ? w.startsAt(moment(job.estimated_start)) : '';
  return <>{[at, job.reason ?? ''].filter(Boolean).join(' · ')}</>;
}
