// What was and what is expected: the answers of /v1/timeline and /v1/moment.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Reason, Refused, get } from './client';

export interface Span {
  card: number;
  job: number;
  attempt: number;
  kind: 'run' | 'aside' | 'lease' | 'adopted';
  from: string;
  // null: it still lasts.
  until: string | null;
  state: string;
  cause: string | null;
  name: string | null;
  user: string;
  vram_bytes: number;
  whole: boolean;
  for_job: number | null;
  mechanism: string | null;
}
export interface Planned {
  card: number;
  job: number;
  kind: 'start' | 'return';
  from: string;
  latest: string | null;
  until: string | null;
  name: string | null;
  user: string;
  vram_bytes: number;
  whole: boolean;
}
export interface ExpectedEnd {
  job: number;
  expected_end: string | null;
  latest_end: string | null;
}
export interface Reserved {
  id: number;
  name: string | null;
  user: string | null;
  cards: number[];
  from: string;
  until: string;
}
export interface Drained {
  card: number;
  from: string;
  until: string | null;
  reason: string;
}
export interface PastAlarm {
  rule: string;
  subject: string;
  severity: string;
  what: string;
  card: number | null;
  from: string;
  until: string | null;
}
export interface TimelineAnswer {
  schema: number;
  from: string;
  until: string;
  now: string;
  known_since: string | null;
  spans: Span[];
  planned: Planned[];
  ends: ExpectedEnd[];
  reservations: Reserved[];
  drains: Drained[];
  alarms: PastAlarm[];
  left_out: number;
}
export interface MomentCard {
  number: number;
  uuid: string;
  model: string;
  vram_bytes: number;
  used_bytes: number | null;
  busy_percent: number | null;
  temperature_celsius: number | null;
  power_watts: number | null;
  drained: boolean;
  jobs: number[];
}
export interface MomentJob {
  id: number;
  name: string | null;
  user: string;
  cards: number[];
  from: string;
}
export interface MomentWaiting {
  id: number;
  name: string | null;
  user: string;
  priority: number;
  submitted_at: string;
}
export interface MomentWhy {
  job: number;
  state: 'queued' | 'held' | 'running' | 'ended' | 'not_yet_submitted';
  reasons: Reason[];
  helps?: string | null;
}
export interface MomentAnswer {
  schema: number;
  at: string;
  cards: MomentCard[];
  running: MomentJob[];
  aside: MomentJob[];
  waiting: MomentWaiting[];
  waiting_left_out: number;
  why: MomentWhy | null;
  limits_of_this_answer: string;
}

// Whether the daemon does not know the route at all: it is older than this page.
export function isMissingRoute(fault: Refused): boolean {
  return fault.code === 'not_found' && fault.message.includes('/v1/');
}

export interface Kept<T> {
  value: T | null;
  fault: Refused | null;
  busy: boolean;
}
// Like useAnswer, but what is shown stays while another time is asked for: a panel that goes blank
// with each step of a scrubber cannot be read.
// `news`: when this changes, it is asked for again.
export function useKept<T>(target: string | null, every = 0, news: unknown = null, calm = 150): Kept<T> {
  const [state, set] = useState<Kept<T>>({ value: null, fault: null, busy: true });
  const first = useRef(true);
  useEffect(() => {
    if (target === null) return undefined;
    const end = new AbortController();
    let timer = 0;
    const ask = async () => {
      try {
        const value = await get<T>(target, {}, end.signal);
        set({ value, fault: null, busy: false });
      } catch (fault) {
        if (end.signal.aborted) return;
        set((last) => ({ value: last.value, fault: fault instanceof Refused ? fault : new Refused('internal', String(fault), 0), busy: false }));
      }
      if (every > 0 && !end.signal.aborted) timer = window.setTimeout(() => void ask(), every);
    };
    set((last) => ({ ...last, busy: true }));
    timer = window.setTimeout(() => void ask(), first.current ? 0 : calm);
    first.current = false;
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [target, every, news]);
  return state;
}
