// The rows of the list. What is known of a row changes in its place; that rows come, go or move is
// only counted until the reader wants to see it, or is not looking at them closely.
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Job, type Schemas, type Sweep, Refused, get } from '../../api/client';
import { useChanges } from '../../api/changes';
import { type Filters, matches, queryOf } from './filters';
import { type JobRow, type Line, kDearFields, kFields, keyOf, ordered, withinLoaded } from './lines';

export interface Listing {
  lines: Line[];
  // Others follow, and are loaded when `more` is called.
  open: boolean;
  // Not all lines could be sorted: there are more than the daemon gives folded.
  cut: boolean;
  loading: boolean;
  fault: string | null;
  // So many rows would come, go or move.
  waiting: number;
  more: () => void;
  show: () => void;
}

const kPage = 200;
const kFoldedMost = 10_000;
const kSweepEvery = 1500;

interface Loaded {
  lines: Line[];
  next: string | null;
  asked: number;
}

function linesOf(answer: Schemas['JobList']): Line[] {
  const jobs = answer.jobs.map((job): Line => ({ kind: 'job', id: job.id, job }));
  const sweeps = (answer.sweeps ?? []).map((sweep): Line => ({ kind: 'sweep', id: sweep.id, sweep }));
  return [...jobs, ...sweeps];
}

async function loadFolded(filters: Filters, newest: number, signal: AbortSignal): Promise<Loaded> {
  const fields = newest > 1000 ? kFields : [...kFields, ...kDearFields];
  const answer = await get<Schemas['JobList']>('/v1/jobs', { ...queryOf(filters), sweeps: 1, newest, fields: fields.join(',') }, signal);
  const lines = ordered(linesOf(answer), filters.sort, filters.down);
  return { lines, next: lines.length >= newest && newest < kFoldedMost ? 'more' : null, asked: newest };
}
async function loadPage(filters: Filters, cursor: string | null, limit: number, signal: AbortSignal): Promise<Loaded> {
  const sort = `${filters.down ? '-' : ''}${filters.sort}`;
  const query = { ...queryOf(filters), sort, limit, cursor, fields: [...kFields, ...kDearFields].join(',') };
  const answer = await get<Schemas['JobList']>('/v1/jobs', query, signal);
  return { lines: linesOf(answer), next: answer.next ?? null, asked: limit };
}
// The beginning of the list, at least as long as what is shown.
function loadFirst(filters: Filters, shown: number, signal: AbortSignal): Promise<Loaded> {
  // Another order than by number needs all lines, because the daemon does not sort folded ones.
  if (filters.folded) return loadFolded(filters, filters.sort === 'id' && filters.down ? Math.max(kPage, shown) : kFoldedMost, signal);
  return loadPage(filters, null, Math.min(Math.max(kPage, shown), kFoldedMost), signal);
}

export function useListing(filters: Filters, me: string, calm: () => boolean): Listing {
  const [loaded, setLoaded] = useState<Loaded>({ lines: [], next: null, asked: 0 });
  const [loading, setLoading] = useState(true);
  const [fault, setFault] = useState<string | null>(null);
  const [waiting, setWaiting] = useState(0);
  const pending = useRef(new Set<string>());
  const fresh = useRef(new Map<number, Job>());
  const stale = useRef(new Set<number>());
  const known = useRef({ jobs: new Set<number>(), sweeps: new Set<number>() });
  const busy = useRef<AbortController | null>(null);
  const form = JSON.stringify(filters);
  const asked = useRef(filters);
  asked.current = filters;

  const take = useCallback((next: Loaded) => {
    known.current.jobs = new Set(next.lines.filter((one) => one.kind === 'job').map((one) => one.id));
    known.current.sweeps = new Set(next.lines.filter((one) => one.kind === 'sweep').map((one) => one.id));
    setLoaded(next);
  }, []);
  const load = useCallback(async (ask: (signal: AbortSignal) => Promise<Loaded>) => {
    busy.current?.abort();
    const end = new AbortController();
    busy.current = end;
    setLoading(true);
    try {
      const next = await ask(end.signal);
      take(next);
      setFault(null);
    } catch (problem) {
      if (end.signal.aborted) return;
      setFault(problem instanceof Refused ? problem.message : String(problem));
    }
    if (busy.current === end) {
      busy.current = null;
      setLoading(false);
    }
  }, []);
  const now = useRef(loaded);
  now.current = loaded;
  const show = useCallback(() => {
    pending.current.clear();
    fresh.current.clear();
    setWaiting(0);
    void load((signal) => loadFirst(asked.current, now.current.lines.length, signal));
  }, []);
  useEffect(() => {
    take({ lines: [], next: null, asked: 0 });
    pending.current.clear();
    fresh.current.clear();
    setWaiting(0);
    void load((signal) => loadFirst(filters, 0, signal));
    return () => busy.current?.abort();
  }, [form]);

  const more = useCallback(() => {
    if (busy.current || !now.current.next) return;
    const { next, lines, asked: before } = now.current;
    if (asked.current.folded) {
      void load((signal) => loadFolded(asked.current, Math.min(before * 4, kFoldedMost), signal));
      return;
    }
    void load(async (signal) => {
      const page = await loadPage(asked.current, next, kPage, signal);
      const have = new Set(lines.map(keyOf));
      return { ...page, lines: [...lines, ...page.lines.filter((one) => !have.has(keyOf(one)))] };
    });
  }, []);

  useChanges((change) => {
    if (change.kind === 'open') {
      if (now.current.asked) show();
      return;
    }
    if (change.kind === 'gone') {
      if (known.current.jobs.has(change.id)) pending.current.add(String(change.id));
      return;
    }
    const { job } = change;
    if (known.current.jobs.has(job.id)) {
      const moved = !matches(asked.current, job, me);
      if (moved) pending.current.add(String(job.id));
      fresh.current.set(job.id, job);
    } else if (asked.current.folded && job.array !== null) {
      if (known.current.sweeps.has(job.array)) stale.current.add(job.array);
      else if (matches(asked.current, job, me) && (!now.current.next || job.array > (now.current.lines[now.current.lines.length - 1]?.id ?? 0))) pending.current.add(`s${job.array}`);
    } else if (matches(asked.current, job, me) && (!now.current.next || withinLoaded(job, now.current.lines, asked.current.sort, asked.current.down))) {
      pending.current.add(String(job.id));
    }
  });
  // However much changes, rows are drawn again a few times a second at most.
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (fresh.current.size > 0) {
        const changed = fresh.current;
        fresh.current = new Map();
        setLoaded((last) => ({
          ...last,
          lines: last.lines.map((line) => {
            const job = line.kind === 'job' ? changed.get(line.id) : undefined;
            return job ? { kind: 'job', id: job.id, job: job as JobRow } : line;
          }),
        }));
      }
      if (pending.current.size > 0 && calm() && !busy.current) show();
      else setWaiting(pending.current.size);
    }, 500);
    return () => window.clearInterval(timer);
  }, [calm]);
  // Of sweeps in the list the counts are asked for again, one by one.
  useEffect(() => {
    const timer = window.setInterval(() => {
      const [id] = stale.current;
      if (id === undefined) return;
      stale.current.delete(id);
      const place = queryOf(asked.current);
      // Filtered lines count only the jobs that are meant; those are asked for as the list is.
      const ask = Object.keys(place).length === 0 ? get<Schemas['OneSweep']>(`/v1/sweeps/${id}`).then((one) => one.sweep) : get<Schemas['JobList']>('/v1/jobs', { ...place, sweeps: 1, array: id }).then((list) => list.sweeps?.[0]);
      ask.then(
        (sweep: Sweep | undefined) => {
          if (!sweep) return void pending.current.add(`s${id}`);
          setLoaded((last) => ({ ...last, lines: last.lines.map((line) => (line.kind === 'sweep' && line.id === id ? { kind: 'sweep', id, sweep } : line)) }));
        },
        () => undefined,
      );
    }, kSweepEvery);
    return () => window.clearInterval(timer);
  }, []);

  const cut = filters.folded && loaded.lines.length >= kFoldedMost;
  return useMemo(() => ({ lines: loaded.lines, open: loaded.next !== null, cut, loading, fault, waiting, more, show }), [loaded, cut, loading, fault, waiting, more, show]);
}
