// What stands where an answer will stand: while it is under way, and when there is none.
import type { ComponentChildren } from 'preact';
import type { Answer } from '../api/useAnswer';
import { defineWords, useWords } from '../words/words';

const words = defineWords(
  {
    asking: 'Asking the daemon …',
    again: 'Try again',
    tooOld: 'This daemon is too old for this view. It appears after an update.',
    stale: 'Not up to date:',
  },
  {
    asking: '正在询问守护进程……',
    again: '重试',
    tooOld: '此守护进程的版本过旧，不支持这一视图；升级后即可使用。',
    stale: '数据不是最新的：',
  },
);

// The sentence with which a daemon refuses a route that it does not have.
export function isUnknownRoute(fault: string): boolean {
  return /^there is no [A-Z]+ \/v1\//.test(fault);
}
export function useTooOld(): string {
  return useWords(words).tooOld;
}

export function Asked<T>({ answer, children }: { answer: Answer<T>; children: (value: T) => ComponentChildren }) {
  const w = useWords(words);
  const { value, fault, again } = answer;
  if (!value && fault) {
    return (
      <div role="alert">
        <p class={isUnknownRoute(fault) ? 'quiet' : 'bad name'}>{isUnknownRoute(fault) ? w.tooOld : fault}</p>
        {!isUnknownRoute(fault) && <button onClick={again}>{w.again}</button>}
      </div>
    );
  }
  if (!value) return <p class="quiet" aria-busy="true">{w.asking}</p>;
  return (
    <>
      {fault && <p class="warn name" role="status">{w.stale} {fault}</p>}
      {children(value)}
    </>
  );
}
