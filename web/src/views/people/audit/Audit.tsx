// Who changed what, page by page.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Schemas, get } from '../../../api/client';
import type { ViewProps } from '../../../app/App';
import { go } from '../../../app/route';
import { may, useSession } from '../../../app/session';
import { Field } from '../../../parts/Field';
import { duration } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { Entry } from './Entry';
import { type Filters, hrefOfFilters, kResults, kSinces, readFilters } from './filters';
import { words } from './words';
import './audit.css';

const kPage = 100;
const kTypingStops = 400;

export function Audit({ route }: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const filters = readFilters(route.query);
  const [entries, setEntries] = useState<Schemas['AuditEntry'][]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [state, setState] = useState<'asking' | 'here'>('asking');
  const [fault, setFault] = useState<string | null>(null);
  const turn = useRef(0);
  const typing = useRef(0);
  const key = JSON.stringify(filters);
  const ask = async (cursor: string | null) => {
    turn.current += 1;
    const mine = turn.current;
    setState('asking');
    setFault(null);
    try {
      const { since, user, operation, result, leases } = filters;
      const page = await get<Schemas['Audit']>('/v1/audit', { since, user: user.trim(), operation: operation.trim(), result, leases, limit: kPage, cursor });
      if (mine !== turn.current) return;
      setEntries((before) => (cursor ? [...before, ...page.entries] : page.entries));
      setNext(page.next ?? null);
    } catch (why) {
      if (mine !== turn.current) return;
      if (!cursor) setEntries([]);
      setFault(why instanceof Error ? why.message : String(why));
    }
    setState('here');
  };
  useEffect(() => {
    void ask(null);
    return () => {
      turn.current += 1;
    };
  }, [key]);
  const set = (change: Partial<Filters>) => go(hrefOfFilters({ ...filters, ...change }), true);
  const setTyped = (change: Partial<Filters>) => {
    window.clearTimeout(typing.current);
    typing.current = window.setTimeout(() => set(change), kTypingStops);
  };
  useEffect(() => () => window.clearTimeout(typing.current), []);
  const others = may(who, 'see_audit', '');
  const results = w as unknown as Record<string, string>;
  const seconds = (since: string) => Number(since.slice(0, -1)) * (since.endsWith('h') ? 3600 : 86_400);
  return (
    <>
      <p class="quiet">{others ? w.lead : w.leadOwn}</p>
      <div class="filters">
        <Field name={w.since}>
          <select value={filters.since} onChange={(event) => set({ since: event.currentTarget.value })}>
            {[...new Set([...kSinces, filters.since])].map((one) => <option key={one} value={one}>{one ? w.last(duration(seconds(one))) : w.all}</option>)}
          </select>
        </Field>
        {others && <Field name={w.user}><input type="search" defaultValue={filters.user} placeholder={w.everybody} onInput={(event) => setTyped({ user: event.currentTarget.value })} /></Field>}
        <Field name={w.operation}><input type="search" defaultValue={filters.operation} placeholder={w.operationHint} onInput={(event) => setTyped({ operation: event.currentTarget.value })} /></Field>
        <Field name={w.result}>
          <select value={filters.result} onChange={(event) => set({ result: event.currentTarget.value })}>
            <option value="">{w.anyResult}</option>
            {kResults.map((one) => <option key={one} value={one}>{results[one]}</option>)}
          </select>
        </Field>
        <label class="tick-box"><input type="checkbox" checked={filters.leases} onChange={(event) => set({ leases: event.currentTarget.checked })} /> {w.leases}</label>
      </div>
      {fault && <p class="bad name" role="alert">{fault}</p>}
      {!fault && state === 'here' && entries.length === 0 && <p class="empty">{w.none}</p>}
      <ul class="plain-list audit-list" aria-label={w.list} aria-busy={state === 'asking'}>
        {entries.map((entry) => <Entry key={entry.sequence} entry={entry} />)}
      </ul>
      {state === 'asking' && <p class="quiet">{w.loading}</p>}
      {next && state === 'here' && <button onClick={() => void ask(next)}>{w.more}</button>}
    </>
  );
}
