// Every change of a job as it comes, for views that show more jobs than the overview has.
import { useEffect, useRef } from 'preact/hooks';
import type { Job } from './client';
import { follow } from './stream';

export type Change = { kind: 'job'; job: Job } | { kind: 'gone'; id: number } | { kind: 'open' };

export function useChanges(hear: (change: Change) => void): void {
  const last = useRef(hear);
  last.current = hear;
  useEffect(() => {
    const following = follow((news) => {
      if (news.kind === 'job') last.current({ kind: 'job', job: news.data as Job });
      else if (news.kind === 'gone') last.current({ kind: 'gone', id: (news.data as { id: number }).id });
      else if (news.kind === 'open') last.current({ kind: 'open' });
    });
    return following.end;
  }, []);
}
