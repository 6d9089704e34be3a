// Everything about one card.
import type { Card, Job } from '../../api/client';
import { CardBar } from '../../parts/CardBar';
import { isKnown, partsOf } from '../../parts/cardBar';
import { Dialog } from '../../parts/Dialog';
import { LastHour } from '../../parts/LastHour';
import { Owner } from '../../parts/Owner';
import { bytes, duration, momentExact, percent, secondsSince } from '../../words/figures';
import { mechanismText } from '../../words/mechanisms';
import { useWords } from '../../words/words';
import { CardState } from './CardState';
import type { Series } from './CardTile';
import { words } from './words';

interface Props {
  card: Card;
  jobs: ReadonlyMap<number, Job>;
  series: Series;
  close: () => void;
}
export function CardSheet({ card, jobs, series, close }: Props) {
  const w = useWords(words);
  const parts = partsOf(card, jobs);
  const others = (card.processes ?? []).filter((one) => one.job === undefined || one.job === null);
  const watts = (value: number | null | undefined) => (value === null || value === undefined ? '–' : `${Math.round(value)} W`);
  const degrees = (value: number | null | undefined) => (value === null || value === undefined ? '–' : `${Math.round(value)} °C`);
  const sample = isKnown(card) ? card.sample : undefined;
  const curves: [string, string, (value: number | null | undefined) => string, string, number | undefined, number | undefined][] = [
    ['used_bytes', w.vram, (value) => bytes(value), bytes(sample?.used_bytes), card.vram_bytes, 0],
    ['busy_percent', w.load, percent, percent(sample?.busy_percent), 100, 0],
    ['power_watts', w.power, watts, watts(sample?.power_watts), sample?.power_limit_watts, 0],
    ['temperature_c', w.heat, degrees, degrees(sample?.temperature_c), sample?.slowdown_temperature_c, 20],
  ];
  return (
    <Dialog title={`${w.card(card.number)}${card.alias ? ` · ${card.alias}` : ''}`} close={close}>
      <div class="sheet">
        <p class="row apart"><span class="quiet name">{card.model}</span> <CardState card={card} /></p>
        {card.reason && <p class="name">{card.reason}</p>}
        <CardBar parts={parts} tall />
        <h3>{w.who}</h3>
        <div class="scroll" tabIndex={0} role="group" aria-label={w.who}>
          <table>
            <thead><tr><th scope="col">{w.kind}</th><th scope="col">{w.owner}</th><th scope="col">{w.job}</th><th scope="col" class="number">{w.size}</th></tr></thead>
            <tbody>
              {parts.segments.map((one) => (
                <tr key={`${one.kind}${one.job ?? one.user ?? ''}`}>
                  <td>{w[`kind_${one.kind}`]}</td>
                  <td>{one.user !== null && <Owner user={one.user} />}</td>
                  <td>{one.job !== null && <a class="name" href={`#/job/${one.job}`}>#{one.job}</a>} <span class="name sheet-name"><bdi>{one.name ?? ''}</bdi></span></td>
                  <td class="number">{bytes(one.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {(card.aside ?? []).length > 0 && <h3>{w.asideTitle}</h3>}
        {card.aside?.map((one) => (
          <p key={one.job}><a href={`#/job/${one.job}`}>#{one.job}</a> {w.asideTold(one.job, mechanismText(one.mechanism), momentExact(one.since), bytes(one.host_bytes))}</p>
        ))}
        {others.length > 0 && <h3>{w.foreignTitle}</h3>}
        {others.map((one) => (
          <p key={one.pid} class="name">{w.foreignTold(one.command ?? one.name ?? null, one.user ?? w.somebody, one.pid, one.started_at ? momentExact(one.started_at) : null, one.idle_since ? momentExact(one.idle_since) : null)} {bytes(one.vram_bytes)}</p>
        ))}
        <h3>{w.history}</h3>
        <div class="sheet-curves">
          {curves.map(([key, name, text, now, most, least]) => {
            const values = series[key] ?? [];
            const known = values.filter((value): value is number => value !== null);
            return (
              <figure key={key} class="sheet-curve">
                <div class="sheet-plot"><LastHour values={values} {...(most !== undefined && { most })} {...(least !== undefined && { least })} /></div>
                <figcaption>
                  <strong>{name} {now}</strong> <span class="quiet">{known.length === 0 ? w.historyNone : w.historyText(text(Math.min(...known)), text(Math.max(...known)))}</span>
                </figcaption>
              </figure>
            );
          })}
        </div>
        <h3>{w.facts}</h3>
        <dl class="facts">
          <dt>{w.uuid}</dt><dd class="mono name">{card.uuid}</dd>
          {card.tags.length > 0 && <><dt>{w.tags}</dt><dd class="name">{card.tags.join(', ')}</dd></>}
          <dt>{w.given}</dt><dd>{bytes(card.held_vram_bytes)}</dd>
          <dt>{w.foreign}</dt><dd>{bytes(card.foreign_bytes)}</dd>
          <dt>{w.capacity}</dt><dd>{bytes(card.capacity_bytes)}</dd>
          <dt>{w.canMove}</dt><dd>{card.moves ? w.canMoveYes : w.canMoveNo}</dd>
          <dt>{w.sampled}</dt><dd>{card.sampled_at ? w.measured(duration(secondsSince(card.sampled_at))) : w.measuredNever}</dd>
        </dl>
        <p class="row">
          <button class="main" onClick={close}>{w.close}</button>
          <a class="button" href={`#/timeline?card=${card.number}`} onClick={close}>{w.onTimeline}</a>
        </p>
      </div>
    </Dialog>
  );
}
