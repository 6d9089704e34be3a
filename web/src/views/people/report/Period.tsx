// Of which time a report tells, by what, and how to take it along.
import type { By } from './fold';
import { kBys } from './fold';
import { target } from '../../../api/client';
import { Field } from '../../../parts/Field';
import { duration } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { words } from './words';

export interface Asked {
  // "7d", or two days.
  since: string;
  until: string;
  by: By;
}
const kPeriods = ['1d', '7d', '30d', '90d', '365d'];
const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);

export function readAsked(query: URLSearchParams): Asked {
  const since = query.get('since') ?? '7d';
  const until = query.get('until') ?? '';
  const by = query.get('by') as By;
  return {
    since: isDay(since) || /^\d{1,4}[hd]$/.test(since) ? since : '7d',
    until: isDay(until) ? until : '',
    by: kBys.includes(by) ? by : 'user',
  };
}
// What the daemon is asked: days begin at midnight of UTC, as reports count them.
export function queryOf({ since, until, by }: Asked): Record<string, string> {
  return { since: isDay(since) ? `${since}T00:00:00Z` : since, ...(until ? { until: `${until}T00:00:00Z` } : {}), by };
}

export function Period({ asked, set }: { asked: Asked; set: (next: Asked) => void }) {
  const w = useWords(words);
  const own = isDay(asked.since);
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const periods = kPeriods.includes(asked.since) || own ? kPeriods : [...kPeriods, asked.since];
  return (
    <div class="filters">
      <Field name={w.period}>
        <select value={own ? 'own' : asked.since} onChange={(event) => set(event.currentTarget.value === 'own' ? { ...asked, since: day(7), until: day(0) } : { ...asked, since: event.currentTarget.value, until: '' })}>
          {periods.map((one) => <option key={one} value={one}>{w.last(duration(Number(one.slice(0, -1)) * (one.endsWith('h') ? 3600 : 86_400)))}</option>)}
          <option value="own">{w.ownPeriod}</option>
        </select>
      </Field>
      {own && (
        <>
          <Field name={w.from}><input type="date" value={asked.since} max={day(0)} onChange={(event) => event.currentTarget.value && set({ ...asked, since: event.currentTarget.value })} /></Field>
          <Field name={w.to}><input type="date" value={asked.until} min={asked.since} onChange={(event) => set({ ...asked, until: event.currentTarget.value })} /></Field>
        </>
      )}
      <Field name={w.by}>
        <select value={asked.by} onChange={(event) => set({ ...asked, by: event.currentTarget.value as By })}>
          {kBys.map((by) => <option key={by} value={by}>{w[by]}</option>)}
        </select>
      </Field>
      <a class="button" href={target('/v1/report', { ...queryOf(asked), format: 'csv' })} download={`gpusched-${asked.by}-${asked.since}.csv`}>{w.csv}</a>
      <a class="button" href={target('/v1/report', { ...queryOf(asked), format: 'text' })} target="_blank" rel="noreferrer">{w.text}</a>
    </div>
  );
}
