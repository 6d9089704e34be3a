// What people would have waited if something had been different: a question, a replay by the daemon
// that takes seconds, an answer in sentences.
import { useEffect, useRef, useState } from 'preact/hooks';
import { type WhatIfAnswer, askWhatIf } from '../../api/whatif';
import type { ViewProps } from '../../app/App';
import { go } from '../../app/route';
import { isUnknownRoute, useTooOld } from '../../parts/Asked';
import { useWords } from '../../words/words';
import { AnswerView } from './AnswerView';
import { QuestionForm } from './QuestionForm';
import { Working } from './Working';
import { type Question, hrefOfQuestion, readQuestion, requestOf } from './question';
import { words } from './words';
import './whatif.css';

interface Answered {
  key: string;
  question: Question;
  answer: WhatIfAnswer;
}
// The last answer stays while one looks at other views.
let last: Answered | null = null;

export function WhatIf({ route }: ViewProps) {
  const w = useWords(words);
  const tooOld = useTooOld();
  const question = readQuestion(route.query);
  const key = JSON.stringify(requestOf(question));
  const [answered, setAnswered] = useState<Answered | null>(last);
  const [fault, setFault] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  const [since, setSince] = useState<number | null>(null);
  const end = useRef<AbortController | null>(null);
  const result = useRef<HTMLElement>(null);
  useEffect(() => () => end.current?.abort(), []);

  const set = (next: Question) => {
    setNote(null);
    setFault(null);
    go(hrefOfQuestion(next), true);
  };
  const replay = async (asked: Question) => {
    end.current?.abort();
    const mine = new AbortController();
    end.current = mine;
    setFault(null);
    setNote(null);
    setSince(Date.now());
    try {
      const request = requestOf(asked);
      const answer = await askWhatIf(request, mine.signal);
      last = { key: JSON.stringify(request), question: asked, answer };
      setAnswered(last);
      window.requestAnimationFrame(() => result.current?.focus({ preventScroll: false }));
    } catch (why) {
      if (mine.signal.aborted) return;
      const text = why instanceof Error ? why.message : String(why);
      setFault(isUnknownRoute(text) ? tooOld : text);
    } finally {
      if (end.current === mine) setSince(null);
    }
  };
  const cancel = () => {
    end.current?.abort();
    end.current = null;
    setSince(null);
    setNote(w.cancelled);
  };
  return (
    <div class="whatif">
      <h1>{w.title}</h1>
      <p class="quiet whatif-lead">{w.lead}</p>
      <QuestionForm question={question} set={set} replay={(asked) => void replay(asked)} busy={since !== null} />
      <div aria-live="polite">
        {since !== null && <Working since={since} cancel={cancel} />}
        {note && <p class="quiet">{note}</p>}
        {fault && <p class="bad name" role="alert">{fault}</p>}
      </div>
      {answered && (
        <section ref={result} tabIndex={-1} class={answered.key === key && since === null ? 'whatif-answer' : 'whatif-answer outdated'} aria-label={w.answer}>
          {answered.key !== key && since === null && <p class="warn" role="status">{w.outdated}</p>}
          <AnswerView question={answered.question} answer={answered.answer} />
        </section>
      )}
    </div>
  );
}
