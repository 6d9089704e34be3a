// What would become of the job as it is typed. Asked when typing pauses; what came last is shown
// until the next answer.
import { useEffect, useState } from 'preact/hooks';
import { type Schemas, Refused, send } from '../../api/client';
import type { Body } from './body';

export interface PreviewState {
  answer: Schemas['Previewed'] | null;
  asking: boolean;
  fault: string | null;
}
const kPause = 400;
const kBusy = 1500;

// `body` null: nothing can be asked yet.
export function usePreview(body: Body | null): PreviewState {
  const [state, set] = useState<PreviewState>({ answer: null, asking: false, fault: null });
  const form = body === null ? null : JSON.stringify(body);
  useEffect(() => {
    if (form === null) {
      set({ answer: null, asking: false, fault: null });
      return undefined;
    }
    const end = new AbortController();
    set((last) => ({ ...last, asking: true }));
    const ask = async () => {
      try {
        const answer = await send('POST', '/v1/preview', JSON.parse(form), { signal: end.signal });
        set({ answer: (await answer.json()) as Schemas['Previewed'], asking: false, fault: null });
      } catch (fault) {
        if (end.signal.aborted) return;
        // One preview at a time for each user: this one comes a little later.
        if (fault instanceof Refused && fault.code === 'busy') {
          timer = window.setTimeout(() => void ask(), kBusy);
          return;
        }
        set({ answer: null, asking: false, fault: fault instanceof Error ? fault.message : String(fault) });
      }
    };
    let timer = window.setTimeout(() => void ask(), kPause);
    return () => {
      end.abort();
      window.clearTimeout(timer);
    };
  }, [form]);
  return state;
}
