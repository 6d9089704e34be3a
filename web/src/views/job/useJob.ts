// A job in full, its trail, and why it waits: asked for again when its row changes, at most once a
// second however often that is.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type JobDetails, type Schemas, Refused, get } from '../../api/client';
import { useChanges } from '../../api/changes';
import { kEnded } from '../../api/jobs';

export interface JobStory {
  job: JobDetails | null;
  trail: Schemas['TrailLine'][];
  why: Schemas['Explained'] | null;
  fault: string | null;
  missing: boolean;
  // How often it was asked for: others that belong to it are asked for again with it.
  turn: number;
}

const kEvery = 1000;
// The estimates of a job that waits change although nothing happens to the job itself.
const kWaitsEvery = 10_000;
const kTrailMost = 2000;

const kNothing: JobStory = { job: null, trail: [], why: null, fault: null, missing: false, turn: 0 };

export function useJob(id: number): JobStory {
  const [story, setStory] = useState<JobStory>(kNothing);
  const wanted = useRef(false);
  const busy = useRef(false);
  const poke = useRef(() => {});
  useEffect(() => {
    const end = new AbortController();
    let trail: Schemas['TrailLine'][] = [];
    let timer = 0;
    setStory(kNothing);
    const readTrail = async () => {
      for (;;) {
        const after = trail[trail.length - 1]?.sequence;
        const page = await get<Schemas['Trail']>(`/v1/jobs/${id}/events`, { after, limit: kTrailMost }, end.signal);
        const have = after ?? 0;
        trail = [...trail, ...page.events.filter((one) => one.sequence > have)].slice(-kTrailMost);
        if (!page.next || page.events.length === 0) return;
      }
    };
    const ask = async () => {
      if (busy.current) {
        wanted.current = true;
        return;
      }
      busy.current = true;
      wanted.current = false;
      window.clearTimeout(timer);
      try {
        const job = (await get<Schemas['JobDetailsList']>(`/v1/jobs/${id}`, {}, end.signal)).jobs[0] ?? null;
        const waits = job !== null && !kEnded.includes(job.state) && job.state !== 'running';
        const [why] = await Promise.all([waits ? get<Schemas['Explained']>(`/v1/jobs/${id}/explain`, {}, end.signal).catch(() => null) : null, readTrail().catch(() => undefined)]);
        if (!end.signal.aborted) setStory((last) => ({ job, trail, why, fault: null, missing: false, turn: last.turn + 1 }));
        if (job && !kEnded.includes(job.state)) timer = window.setTimeout(() => void ask(), kWaitsEvery);
      } catch (fault) {
        if (end.signal.aborted) return;
        const refused = fault instanceof Refused ? fault : null;
        setStory((last) => ({ ...last, fault: refused?.message ?? String(fault), missing: refused?.status === 404 }));
      }
      window.setTimeout(() => {
        busy.current = false;
        if (wanted.current && !end.signal.aborted) void ask();
      }, kEvery);
    };
    busy.current = false;
    poke.current = () => void ask();
    void ask();
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [id]);
  useChanges((change) => {
    if (change.kind === 'open' || (change.kind === 'job' && change.job.id === id) || (change.kind === 'gone' && change.id === id)) poke.current();
  });
  return story;
}
