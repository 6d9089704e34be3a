// One card as an instrument.
import type { Card, Job } from '../../api/client';
import { CardBar } from '../../parts/CardBar';
import { headroomOf, isKnown, partsOf } from '../../parts/cardBar';
import { LastHour } from '../../parts/LastHour';
import { memo } from '../../parts/memo';
import { ownerColour } from '../../parts/owner';
import { Told, throughFigures } from '../../parts/Told';
import { bytes, duration, momentExact, percent, secondsSince } from '../../words/figures';
import { mechanismText } from '../../words/mechanisms';
import { useWords } from '../../words/words';
import { barText } from '../../parts/CardBar';
import { CardState, CardTrouble } from './CardState';
import type { Size } from './figures';
import { words } from './words';

export type Series = Record<string, (number | null)[] | undefined>;
interface Props {
  card: Card;
  jobs: ReadonlyMap<number, Job>;
  series: Series;
  size: Size;
  open: (card: Card) => void;
}
const kShownJobs: Record<Size, number> = { tall: 6, plain: 4, small: 3 };

export const CardTile = memo(function CardTile({ card, jobs, series, size, open }: Props) {
  const w = useWords(words);
  const parts = partsOf(card, jobs);
  const sample = isKnown(card) ? card.sample : undefined;
  const since = secondsSince(card.sampled_at);
  const age = since === null ? w.measuredNever : w.measured(duration(since));
  const used = sample?.used_bytes;
  const others = (card.processes ?? []).filter((one) => one.job === undefined || one.job === null);
  const here = card.jobs.slice(0, kShownJobs[size]);
  const aside = card.aside ?? [];
  const figure = (what: string, value: string, told: string, values: (number | null)[] | undefined, most?: number, least?: number, colour?: string) => (
    <Told told={value === '–' ? w.unknownTold(what) : told} class="figure" stop={false}>
      {values && <LastHour values={values} {...(most !== undefined && { most })} {...(least !== undefined && { least })} {...(colour && { colour })} />}
      <span class="figure-name">{what}</span>
      <span class="figure-value number">{value}</span>
    </Told>
  );
  return (
    <article class={`card-tile ${size} state-${card.state}`} aria-label={w.card(card.number)} data-card={card.number} onKeyDown={throughFigures}>
      <header class="card-head">
        <button class="card-open" data-stop="" onClick={() => open(card)} title={w.details(card.number)}>
          <span class="card-number">{card.number}</span>
          <span class="hidden-words"> {w.details(card.number)} </span>
          <span class="card-names">
            {card.alias && <strong class="clip name"><bdi>{card.alias}</bdi></strong>}
            <span class="card-model clip name"><bdi>{card.model}</bdi></span>
          </span>
        </button>
        <CardState card={card} />
      </header>
      <CardTrouble card={card} />
      <Told class="bar-told" stop={false} told={`${barText(parts)}. ${parts.headroomFrom === null ? '' : w.headroomTold(bytes(headroomOf(card)))}`}>
        <CardBar parts={parts} tall={size === 'tall'} />
      </Told>
      <div class="figures">
        {figure(w.vramOf(bytes(card.vram_bytes, 0)), bytes(used), w.vramTold(bytes(used), bytes(card.held_vram_bytes), bytes(card.vram_bytes), age), series['used_bytes'], card.vram_bytes)}
        {figure(w.load, percent(sample?.busy_percent), w.loadTold(age), series['busy_percent'], 100)}
        {figure(w.power, sample?.power_watts === undefined ? '–' : `${Math.round(sample.power_watts)} W`, w.powerTold(sample?.power_limit_watts === undefined ? null : `${Math.round(sample.power_limit_watts)} W`, age), series['power_watts'], sample?.power_limit_watts, 0, 'var(--aside)')}
        {figure(w.heat, sample?.temperature_c === undefined ? '–' : `${Math.round(sample.temperature_c)} °C`, w.heatTold(sample?.slowdown_temperature_c === undefined ? null : `${sample.slowdown_temperature_c} °C`, age), series['temperature_c'], sample?.slowdown_temperature_c ?? 90, 20, 'var(--warn)')}
      </div>
      <ul class="on-card">
        {here.map((id) => {
          const job = jobs.get(id);
          if (!job) return <li key={id}><a href={`#/job/${id}`}>#{id}</a></li>;
          const span = duration(secondsSince(job.started_at));
          return (
            <li key={id}>
              <a class="on-card-job" href={`#/job/${id}`} title={w.jobTold(id, job.name ?? job.command, job.user, span)}>
                <span class="owner-dot" aria-hidden="true" style={{ background: ownerColour(job.user) }} />
                <span class="on-card-owner clip name"><bdi>{job.user}</bdi></span>
                <span class="number">#{id}</span>
                <span class="on-card-name clip name"><bdi>{job.name ?? job.command}</bdi></span>
                <span class="quiet number on-card-time">{span}</span>
              </a>
            </li>
          );
        })}
        {card.jobs.length > here.length && <li><button class="plain small-link" onClick={() => open(card)}>{w.more(card.jobs.length - here.length)}</button></li>}
        {(card.others?.jobs ?? 0) > 0 && <li class="quiet">{w.others(card.others?.jobs ?? 0)}</li>}
        {aside.slice(0, 2).map((one) => (
          <li key={`aside${one.job}`}>
            <Told stop={false} class="on-card-line" told={w.asideTold(one.job, mechanismText(one.mechanism), momentExact(one.since), bytes(one.host_bytes))}>
              <span class="aside-sign" aria-hidden="true">⇄</span>
              <span class="clip name">{w.asideShort(one.job)}, {w.asideSince(duration(secondsSince(one.since)))}</span>
              {one.host_bytes > 0 && <span class="quiet number on-card-time">{bytes(one.host_bytes)}</span>}
            </Told>
          </li>
        ))}
        {others.slice(0, 2).map((one) => {
          const user = one.user ?? w.somebody;
          return (
            <li key={`pid${one.pid}`}>
              <Told stop={false} class="on-card-line" told={w.foreignTold(one.command ?? one.name ?? null, user, one.pid, one.started_at ? momentExact(one.started_at) : null, one.idle_since ? momentExact(one.idle_since) : null)}>
                <span class="foreign-sign" aria-hidden="true" style={{ '--owner': one.user === undefined ? 'var(--foreign)' : ownerColour(one.user) }} />
                <span class="clip name">{w.foreignShort(user, bytes(one.vram_bytes))}</span>
                <span class="quiet number on-card-time">{one.idle_since ? w.idleFor(duration(secondsSince(one.idle_since))) : one.started_at ? duration(secondsSince(one.started_at)) : ''}</span>
              </Told>
            </li>
          );
        })}
        {others.length + aside.length > 4 && <li><button class="plain small-link" onClick={() => open(card)}>{w.more(others.length + aside.length - 4)}</button></li>}
        {isKnown(card) && card.jobs.length + others.length + aside.length === 0 && (card.others?.jobs ?? 0) === 0 && <li class="quiet">{w.nobody}</li>}
      </ul>
    </article>
  );
});
