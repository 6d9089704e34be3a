// An action says what it will do before it does it: the daemon is asked with dry_run, its answer is
// shown, and only then it is done.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Schemas, change } from '../api/client';
import { defineWords, useWords } from '../words/words';
import { Dialog } from './Dialog';
import { say } from './Notices';

const words = defineWords(
  {
    asking: 'Asking the daemon what this would do …',
    will: (jobs: string) => `This changes job ${jobs}.`,
    unchanged: (job: number, why: string) => `Job ${job} stays as it is: it ${why}.`,
    nothing: 'Nothing would change.',
    doIt: 'Do it',
    leave: 'Leave it',
    done: (what: string, jobs: string) => `${what}: job ${jobs}`,
  },
  {
    asking: '正在询问守护进程会发生什么……',
    will: (jobs: string) => `将更改作业 ${jobs}。`,
    unchanged: (job: number, why: string) => `作业 ${job} 不变：${why}。`,
    nothing: '不会有任何变化。',
    doIt: '执行',
    leave: '不执行',
    done: (what: string, jobs: string) => `${what}：作业 ${jobs}`,
  },
);

export interface Action {
  // What it is called: "Cancel".
  title: string;
  method: string;
  path: string;
  // Filters, where the path names all jobs.
  query?: Record<string, string>;
  body?: unknown;
  danger?: boolean;
  // What it means, in a sentence or two.
  about?: string;
}

export function idsText(ids: number[]): string {
  if (ids.length <= 6) return ids.join(', ');
  return `${ids.slice(0, 5).join(', ')}, … (${ids.length})`;
}

interface Props {
  action: Action;
  close: () => void;
  done?: () => void;
  children?: ComponentChildren;
}
export function ActionDialog({ action, close, done, children }: Props) {
  const w = useWords(words);
  const [would, setWould] = useState<Schemas['Changed'] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const body = JSON.stringify([action.query, action.body ?? null]);
  useEffect(() => {
    let shown = true;
    setFault(null);
    change<Schemas['Changed']>(action.method, action.path, action.body, { ...action.query, dry_run: 1 }).then(
      (answer) => shown && setWould(answer),
      (why: Error) => shown && setFault(why.message),
    );
    return () => {
      shown = false;
    };
  }, [action.method, action.path, body]);
  const carryOut = async () => {
    setBusy(true);
    try {
      const answer = await change<Schemas['Changed']>(action.method, action.path, action.body, action.query);
      say(w.done(action.title, idsText(answer.changed ?? [])));
      close();
      done?.();
    } catch (why) {
      setFault(why instanceof Error ? why.message : String(why));
      setBusy(false);
    }
  };
  const changed = would?.changed ?? [];
  return (
    <Dialog title={action.title} close={close}>
      {action.about && <p>{action.about}</p>}
      {children}
      <div aria-live="polite">
        {fault && <p class="bad name" role="alert">{fault}</p>}
        {!fault && !would && <p class="quiet">{w.asking}</p>}
        {would && changed.length > 0 && <p>{w.will(idsText(changed))}</p>}
        {would && changed.length === 0 && <p>{w.nothing}</p>}
        {would?.unchanged?.slice(0, 5).map((one) => <p key={one.id} class="quiet">{w.unchanged(one.id, one.why)}</p>)}
      </div>
      <div class="row">
        <button class={action.danger ? 'danger' : 'main'} disabled={busy || !would || changed.length === 0} onClick={() => void carryOut()}>{action.title}</button>
        <button onClick={close}>{w.leave}</button>
      </div>
    </Dialog>
  );
}
