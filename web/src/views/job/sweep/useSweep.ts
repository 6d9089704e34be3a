// A sweep and its jobs: all of them, page by page, then each as it changes.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Schemas, type Sweep, Refused, get } from '../../../api/client';
import { useChanges } from '../../../api/changes';
import { type SweepRow, kFields } from './rows';

export interface SweepStory {
  sweep: Sweep | null;
  rows: SweepRow[];
  // Not all pages are there yet.
  loading: boolean;
  // There are more jobs than are shown.
  cut: boolean;
  fault: string | null;
  missing: boolean;
}
const kPage = 1000;
const kMost = 20_000;
const kDrawEvery = 500;
const kSweepEvery = 1500;

export function useSweep(id: number): SweepStory {
  const [story, setStory] = useState<SweepStory>({ sweep: null, rows: [], loading: true, cut: false, fault: null, missing: false });
  const fresh = useRef(new Map<number, SweepRow>());
  const stale = useRef(false);
  const first = useRef(id);
  const [turn, again] = useState(0);
  useEffect(() => {
    const end = new AbortController();
    const load = async () => {
      try {
        const { sweep } = await get<Schemas['OneSweep']>(`/v1/sweeps/${id}`, {}, end.signal);
        first.current = sweep.id;
        setStory((last) => ({ ...last, sweep, fault: null, missing: false }));
        let rows: SweepRow[] = [];
        let cursor: string | undefined;
        do {
          const page = await get<Schemas['JobList']>('/v1/jobs', { array: sweep.id, fields: kFields.join(','), limit: kPage, sort: 'id', cursor }, end.signal);
          rows = [...rows, ...page.jobs];
          cursor = page.next;
          const loading = cursor !== undefined && rows.length < kMost;
          setStory((last) => ({ ...last, rows: rows.length >= last.rows.length || !loading ? rows : last.rows, loading, cut: cursor !== undefined && !loading }));
        } while (cursor !== undefined && rows.length < kMost);
      } catch (fault) {
        if (end.signal.aborted) return;
        const refused = fault instanceof Refused ? fault : null;
        setStory((last) => ({ ...last, loading: false, fault: refused?.message ?? String(fault), missing: refused?.status === 404 || refused?.status === 409 }));
      }
    };
    void load();
    return () => end.abort();
  }, [id, turn]);
  useChanges((change) => {
    if (change.kind === 'open') again((count) => count + 1);
    if (change.kind !== 'job' || change.job.array !== first.current) return;
    fresh.current.set(change.job.id, change.job);
    stale.current = true;
  });
  useEffect(() => {
    const draw = window.setInterval(() => {
      if (fresh.current.size === 0) return;
      const changed = fresh.current;
      fresh.current = new Map();
      setStory((last) => ({ ...last, rows: last.rows.map((row) => changed.get(row.id) ?? row) }));
    }, kDrawEvery);
    const count = window.setInterval(() => {
      if (!stale.current) return;
      stale.current = false;
      get<Schemas['OneSweep']>(`/v1/sweeps/${id}`).then(({ sweep }) => setStory((last) => ({ ...last, sweep })), () => undefined);
    }, kSweepEvery);
    return () => {
      window.clearInterval(draw);
      window.clearInterval(count);
    };
  }, [id]);
  return story;
}
