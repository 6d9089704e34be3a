// A change that is not one of jobs: what it asks for stands in fields, the daemon says with dry_run
// what would become of it while one types, and only then it is done.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Refused, change } from '../api/client';
import { defineWords, useWords } from '../words/words';
import { Dialog } from './Dialog';
import './change-dialog.css';

const words = defineWords(
  { asking: 'Asking the daemon what this would do …', leave: 'Leave it', busy: 'Under way …', again: 'Try again' },
  { asking: '正在询问守护进程会发生什么……', leave: '不执行', busy: '正在执行……', again: '重试' },
);

export interface Wish {
  method: string;
  path: string;
  body?: unknown;
  query?: Record<string, string | number | undefined>;
}
interface Props<T> {
  title: string;
  // The word on the button; the title unless given.
  verb?: string;
  danger?: boolean;
  about?: string;
  // null while a field is missing or wrong.
  wish: Wish | null;
  // What the answer to the dry run means, in words.
  plan: (answer: T) => ComponentChildren;
  done: (answer: T) => void;
  close: () => void;
  children?: ComponentChildren;
}
const kTypingStops = 250;

export function ChangeDialog<T>({ title, verb, danger, about, wish, plan, done, close, children }: Props<T>) {
  const w = useWords(words);
  const [would, setWould] = useState<{ wish: string; answer: T } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [turn, setTurn] = useState(0);
  const asked = JSON.stringify(wish);
  const shown = useRef(true);
  useEffect(() => () => {
    shown.current = false;
  }, []);
  useEffect(() => {
    if (!wish) {
      setWould(null);
      setFault(null);
      return undefined;
    }
    let wanted = true;
    const timer = window.setTimeout(() => {
      change<T>(wish.method, wish.path, wish.body, { ...wish.query, dry_run: 1 }).then(
        (answer) => {
          if (!wanted) return;
          setWould({ wish: asked, answer });
          setFault(null);
        },
        (why: unknown) => {
          if (!wanted) return;
          setWould(null);
          setFault(why instanceof Refused ? why.message : String(why));
        },
      );
    }, would || fault ? kTypingStops : 0);
    return () => {
      wanted = false;
      window.clearTimeout(timer);
    };
  }, [asked, turn]);
  const ready = wish !== null && would?.wish === asked && !fault && !busy;
  const carryOut = async (event: Event) => {
    event.preventDefault();
    if (!wish || !ready) return;
    setBusy(true);
    try {
      const answer = await change<T>(wish.method, wish.path, wish.body, wish.query);
      if (shown.current) close();
      done(answer);
    } catch (why) {
      setFault(why instanceof Error ? why.message : String(why));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form class="change-form" onSubmit={(event) => void carryOut(event)}>
        {about && <p>{about}</p>}
        {children}
        <div class="change-plan" aria-live="polite">
          {fault && <p class="bad name" role="alert">{fault}</p>}
          {fault && wish && <p><button type="button" disabled={busy} onClick={() => setTurn(turn + 1)}>{w.again}</button></p>}
          {!fault && wish && would?.wish !== asked && <p class="quiet">{w.asking}</p>}
          {!fault && wish && would?.wish === asked && plan(would.answer)}
        </div>
        <div class="row">
          <button type="submit" class={danger ? 'danger' : 'main'} disabled={!ready}>{busy ? w.busy : (verb ?? title)}</button>
          <button type="button" onClick={close}>{w.leave}</button>
        </div>
      </form>
    </Dialog>
  );
}
