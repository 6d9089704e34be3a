// What was and what is expected: the answers of /v1/timeline and /v1/moment.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refused, type Schemas, get } from './client';

export type TimelineAnswer = Schemas['Timeline'];
export type Span = Schemas['TimelineSpan'];
export type Planned = Schemas['PlannedSpan'];
export type MomentAnswer = Schemas['Moment'];
export type MomentJob = Schemas['ActiveThen'];
export type MomentWhy = Schemas['WhyThen'];

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
