// What the job used over its life, against what it asked for; attempt by attempt.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { JobDetails, Schemas } from '../../api/client';
import { useAnswer } from '../../api/useAnswer';
import { kEnded } from '../../api/jobs';
import { type Curve, Plot } from '../../parts/Plot';
import { bytes, duration, moment, percent } from '../../words/figures';
import { useWords } from '../../words/words';
import { Attempts } from './Attempts';
import { words } from './words';

const kEvery = 10_000;
const kNobody: (number | null)[] = [];

// Attempts follow each other, so that one curve has them all; between them is a gap.
export function joined(history: Schemas['JobHistory'], name: string): (number | null)[] {
  const all = history.attempts.map((one) => one.series[name] ?? kNobody);
  const length = Math.max(0, ...all.map((one) => one.length));
  return Array.from({ length }, (_, i) => all.map((one) => one[i] ?? null).find((value) => value !== null) ?? null);
}
function highest(values: (number | null)[]): number | null {
  const known = values.filter((value): value is number => value !== null);
  return known.length > 0 ? known.reduce((a, b) => Math.max(a, b)) : null;
}

const kGib = 2 ** 30;
const gib = (value: number) => `${Number(value.toPrecision(3))} GiB`;
const timeOf = (seconds: number) => moment(seconds * 1000);

export function Use({ job, turn, trail }: { job: JobDetails; turn: number; trail: Schemas['TrailLine'][] }) {
  const w = useWords(words);
  const runs = job.started_at !== null && !kEnded.includes(job.state);
  const path = `/v1/jobs/${job.id}/history?points=240`;
  const { value: history, fault } = useAnswer<Schemas['JobHistory']>(job.attempt === 0 ? null : path, runs ? kEvery : 0);
  const cards = Math.max(1, job.gpus.length);
  const held = job.gpus.reduce((sum, card) => sum + card.vram_bytes, 0) || job.needs.vram_bytes * cards;
  const limit = (job.vram_limit_bytes ?? 0) * cards;
  const plots = useMemo(() => {
    if (!history) return null;
    const vram = joined(history, 'vram_bytes_max');
    const load = joined(history, 'busy_percent');
    const from = Date.parse(history.from) / 1000;
    const x = Array.from({ length: Math.max(vram.length, load.length) }, (_, i) => from + i * history.step_s);
    const line = (value: number) => x.map(() => value);
    // In GiB, so that the lines of the grid stand at round ones.
    const memory: Curve[] = [{ label: w.used, colour: 'var(--run)', values: vram.map((value) => (value === null ? null : value / kGib)), fill: true }];
    if (held > 0) memory.push({ label: w.heldLine, colour: 'var(--good)', values: line(held / kGib) });
    if (limit > 0) memory.push({ label: w.limitLine, colour: 'var(--bad)', values: line(limit / kGib) });
    return { x, memory, vram, load, most: (Math.max(held, limit, highest(vram) ?? 0, kGib / 4) / kGib) * 1.05 };
  }, [history, held, limit, w]);
  if (job.attempt === 0) return null;
  const gpu = job.usage?.gpu;
  const drawn = plots !== null && plots.x.length > 1 && job.needs.gpus.most !== 0;
  const soon = plots !== null && !drawn && runs && job.gpus.length > 0;
  if (!drawn && !soon && !job.usage && job.attempt < 2) return null;
  return (
    <section class="panel" aria-label={w.use}>
      <h2>{w.use}</h2>
      {fault && <p class="quiet name">{fault}</p>}
      {drawn && plots && (
        <>
          <h3>{w.vramTitle}</h3>
          <Plot x={plots.x} curves={plots.memory} height={170} unitX={timeOf} unit={gib} most={plots.most} summary={w.vramSummary(bytes(highest(plots.vram)), bytes(held))} />
          <h3>{w.load}</h3>
          <Plot x={plots.x} curves={[{ label: w.load, colour: 'var(--aside)', values: plots.load, fill: true }]} height={130} unitX={timeOf} unit={(value) => percent(value)} most={100} summary={w.loadSummary(percent(highest(plots.load)))} />
        </>
      )}
      {soon && <p class="quiet">{w.useSoon}</p>}
      {gpu && (
        <dl class="job-facts">
          <Fact word={w.peak}>{bytes(gpu.peak_card_vram_bytes)}</Fact>
          <Fact word={w.mean}>{bytes(gpu.mean_vram_bytes)}{gpu.mean_busy_percent !== undefined && ` · ${percent(gpu.mean_busy_percent)}`}</Fact>
          <Fact word={w.gpuTime}>{duration(gpu.gpu_seconds)}</Fact>
          {gpu.energy_joules !== undefined && <Fact word={w.energy}>{(gpu.energy_joules / 3_600_000).toFixed(gpu.energy_joules < 360_000 ? 3 : 2)} kWh</Fact>}
        </dl>
      )}
      {job.usage && (
        <dl class="job-facts">
          <Fact word={w.cpuTime}>{duration(job.usage.user_cpu_s + job.usage.system_cpu_s)}</Fact>
          <Fact word={w.mostRam}>{bytes(job.usage.max_rss_bytes)}</Fact>
        </dl>
      )}
      <Attempts job={job} trail={trail} history={history} turn={turn} />
    </section>
  );
}
function Fact({ word, children }: { word: string; children: ComponentChildren }) {
  return <div><dt>{word}</dt><dd class="number">{children}</dd></div>;
}
