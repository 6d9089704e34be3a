// The answer to a question that a view asks when it is opened, and again every so often.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Refused, get } from './client';

export interface Answer<T> {
  value: T | null;
  fault: string | null;
  at: number;
  again: () => void;
}

// `target` null: nothing is asked yet. `every` in milliseconds; 0: once.
export function useAnswer<T>(target: string | null, every = 0): Answer<T> {
  const [state, set] = useState<{ value: T | null; fault: string | null; at: number }>({ value: null, fault: null, at: 0 });
  const [turn, next] = useState(0);
  const asked = useRef<string | null>(null);
  useEffect(() => {
    if (target === null) return undefined;
    // What is shown stays while the same question is asked again.
    if (asked.current !== target) set({ value: null, fault: null, at: 0 });
    asked.current = target;
    const end = new AbortController();
    let timer = 0;
    const ask = async () => {
      try {
        const value = await get<T>(target, {}, end.signal);
        set({ value, fault: null, at: Date.now() });
      } catch (fault) {
        if (end.signal.aborted) return;
        set((last) => ({ ...last, fault: fault instanceof Refused ? fault.message : String(fault) }));
      }
      if (every > 0 && !end.signal.aborted) timer = window.setTimeout(() => void ask(), every);
    };
    void ask();
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [target, every, turn]);
  return { ...state, again: useCallback(() => next((count) => count + 1), []) };
}
