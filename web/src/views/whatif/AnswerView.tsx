// The answer: one sentence, then where it comes from.
import type { WhatIfAnswer } from '../../api/whatif';
import { PairBars } from '../../parts/PairBars';
import { amount, durationFine, momentDated } from '../../words/figures';
import { useWords } from '../../words/words';
import { Figures } from './Figures';
import { Moved } from './Moved';
import { bucketsOf } from './buckets';
import { notesOf } from './notes';
import { type Question, changesNothing } from './question';
import { headline, isFarOff, tailSentence } from './sentence';
import { words } from './words';

export function AnswerView({ question, answer }: { question: Question; answer: WhatIfAnswer }) {
  const w = useWords(words);
  const nothing = changesNothing(question);
  // Without a change there is only the past to compare the replay with.
  const series = nothing ? [w.was, w.asConfigured] : [w.asConfigured, w.would];
  return (
    <>
      <h2 class="whatif-headline name">{headline(question, answer, nothing)}</h2>
      {!nothing && <p class="whatif-second">{tailSentence(answer.as_configured, answer.would)}</p>}
      <p class="quiet">
        {w.basis(amount(answer.jobs), momentDated(answer.since), momentDated(answer.until))}
        {answer.left_out > 0 && ` ${w.leftOut(amount(answer.left_out))}`}
      </p>
      {isFarOff(answer.was, answer.as_configured) && (
        <p class="warn"><span aria-hidden="true">! </span>{w.far(durationFine(answer.was.average_wait_s), durationFine(answer.as_configured.average_wait_s))}</p>
      )}
      <div class="whatif-grid">
        <div>
          <section class="panel">
            <h3>{w.waits}</h3>
            <p class="quiet">{w.waitsAbout}</p>
            <PairBars
              label={w.waits}
              series={series}
              unit={amount}
              rows={bucketsOf(nothing ? { ...answer.waits, as_configured: answer.waits.was, would: answer.waits.as_configured } : answer.waits).map((one) => ({ key: one.name, name: one.name, values: [one.before, one.after] }))}
            />
          </section>
          {answer.by_tenant.length > 0 && (
            <section class="panel">
              <h3>{w.byTenant}</h3>
              <PairBars
                label={w.byTenant}
                series={series}
                unit={durationFine}
                rows={answer.by_tenant.map((one) => ({ key: one.tenant, name: <bdi>{one.tenant}</bdi>, values: nothing ? [one.was_wait_s, one.as_configured_wait_s] : [one.as_configured_wait_s, one.would_wait_s], note: w.jobsOf(amount(one.jobs)) }))}
              />
            </section>
          )}
        </div>
        <div>
          <section class="panel">
            <h3>{w.figures}</h3>
            <Figures answer={answer} nothing={nothing} />
          </section>
          {!nothing && (
            <section class="panel">
              <h3>{w.moved}</h3>
              <Moved jobs={answer.moved_most} />
            </section>
          )}
        </div>
      </div>
      <section class="panel">
        <h3>{w.unknown}</h3>
        <ul class="whatif-notes">
          {notesOf(answer.notes).map((note) => <li key={note} class="name">{note}</li>)}
        </ul>
      </section>
    </>
  );
}
