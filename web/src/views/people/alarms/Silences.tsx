// The silences that hold now, and the end of one before its time.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { say } from '../../../parts/Notices';
import { moment, momentExact } from '../../../words/figures';
import { clauses, told } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { ruleName } from './rule-words';
import { words } from './words';

interface Props {
  silences: Schemas['Silence'][];
  rules: Schemas['AlarmRule'][];
  mayEnd: boolean;
  done: () => void;
}
export function Silences({ silences, rules, mayEnd, done }: Props) {
  const w = useWords(words);
  const [ending, setEnding] = useState<number | null>(null);
  const nameOf = (rule: string | null) => (rule ? ruleName(rule, rules.find((one) => one.name === rule)?.kind ?? '') : w.anyRule);
  return (
    <section>
      <h2>{w.silences}</h2>
      {silences.length === 0 && <p class="quiet">{w.noSilences}</p>}
      <ul class="plain-list">
        {silences.map((one) => (
          <li key={one.id} class="silence">
            <span class="number quiet">{one.id}</span>
            <span class="silence-words">
              <span><bdi class="name">{told(nameOf(one.rule), one.subject ?? w.anySubject)}</bdi></span>
              {one.reason && <span class="name"><bdi>{one.reason}</bdi></span>}
              <span class="quiet" title={momentExact(one.until)}>{clauses([w.until(moment(one.until)), one.by && w.by(one.by)])}</span>
            </span>
            {mayEnd && <button onClick={() => setEnding(one.id)} aria-label={w.endSilence(one.id)}>{w.end}</button>}
          </li>
        ))}
      </ul>
      {ending !== null && (
        <ChangeDialog<Schemas['Silences']>
          title={w.endSilence(ending)}
          verb={w.end}
          wish={{ method: 'DELETE', path: `/v1/silences/${ending}` }}
          plan={(answer) => (
            <>
              <p>{w.endAbout}</p>
              {answer.alarms.length > 0 && <ul>{answer.alarms.slice(0, 8).map((one) => <li key={`${one.rule} ${one.subject}`} class="name">{one.what}</li>)}</ul>}
            </>
          )}
          close={() => setEnding(null)}
          done={() => {
            say(w.ended);
            done();
          }}
        />
      )}
    </section>
  );
}
