// What is left of each quota of a tenant: a bar of what is used, and the rest in words.
import { Fragment } from 'preact';
import { amount, bytes, duration } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { type Left, type Tenant, readGpuHours, whatIsLeft } from './quota';
import { words } from './words';

export function QuotaList({ tenant }: { tenant: Tenant }) {
  const w = useWords(words);
  const hours = readGpuHours(tenant.quota.gpu_hours);
  const names: Record<Left['key'], string> = {
    cards: w.cards,
    vram_bytes: w.vram,
    running: w.runningJobs,
    queued: w.queued,
    gpu_hours: w.gpuHours(w.periods(hours?.period ?? '')),
  };
  const unit = (key: Left['key'], value: number) => (key === 'vram_bytes' ? bytes(value) : amount(Math.round(value * 10) / 10));
  const left = whatIsLeft(tenant);
  const { time_limit_s: time, highest_priority: priority } = tenant.quota;
  return (
    <>
      <h3>{w.quota}</h3>
      {left.length === 0 && <p class="quiet">{w.noQuota}</p>}
      <dl class="facts quota">
        {left.map((one) => (
          <Fragment key={one.key}>
            <dt>{names[one.key]}</dt>
            <dd>
              <span class="quota-bar" aria-hidden="true"><i class={one.left > 0 ? '' : 'full'} style={{ width: `${one.most > 0 ? Math.min(100, (one.used / one.most) * 100) : 100}%` }} /></span>
              <span class={`number ${one.left > 0 ? '' : 'warn'}`}>
                {one.left > 0 ? w.left(unit(one.key, one.left), unit(one.key, one.most)) : <><span aria-hidden="true">! </span>{w.nothingLeft(unit(one.key, one.most))}</>}
              </span>
            </dd>
          </Fragment>
        ))}
        {time !== null && (
          <>
            <dt>{w.timeLimit}</dt>
            <dd class="number">{w.atMost(duration(time))}</dd>
          </>
        )}
        <dt>{w.priority}</dt>
        <dd class="number">{priority}</dd>
      </dl>
    </>
  );
}
