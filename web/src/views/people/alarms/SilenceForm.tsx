// A silence: which alarms, until when, why. The alarms that it hits are shown before it is made.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { duration, moment } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { ruleName } from './rule-words';
import { words } from './words';

export interface Hint {
  rule: string;
  subject: string;
}
interface Props {
  hint: Hint;
  rules: Schemas['AlarmRule'][];
  alarms: Schemas['Alarm'][];
  close: () => void;
  done: () => void;
}
const kTimes = [3600, 2 * 3600, 8 * 3600, 86_400, 3 * 86_400, 7 * 86_400, 30 * 86_400];

export function SilenceForm({ hint, rules, alarms, close, done }: Props) {
  const w = useWords(words);
  const [rule, setRule] = useState(hint.rule);
  const [subject, setSubject] = useState(hint.subject);
  const [time, setTime] = useState(2 * 3600);
  const [reason, setReason] = useState('');
  const subjects = [...new Set(alarms.map((alarm) => alarm.subject))];
  const ends = moment(Date.now() + time * 1000);
  const body = { rule: rule || null, subject: subject.trim() || null, for_s: time, reason: reason.trim() || null };
  return (
    <ChangeDialog<Schemas['Silences']>
      title={w.silenceOne}
      about={w.silenceAbout}
      wish={{ method: 'POST', path: '/v1/silences', body }}
      plan={(answer) =>
        answer.alarms.length === 0 ? <p>{w.hitsNone}</p> : (
          <>
            <p>{w.hits(answer.alarms.length)}</p>
            <ul>{answer.alarms.slice(0, 8).map((one) => <li key={`${one.rule} ${one.subject}`} class="name">{one.what}</li>)}{answer.alarms.length > 8 && <li>…</li>}</ul>
          </>
        )}
      close={close}
      done={() => {
        say(w.silenced(ends));
        done();
      }}
    >
      <div class="fields">
        <Field name={w.rule}>
          <select value={rule} onChange={(event) => setRule(event.currentTarget.value)}>
            <option value="">{w.anyRule}</option>
            {rules.map((one) => <option key={one.name} value={one.name}>{ruleName(one.name, one.kind)}</option>)}
          </select>
        </Field>
        <Field name={w.subject} about={w.subjectAbout}>
          <input value={subject} maxLength={255} list="silence-subjects" placeholder={w.anySubject} onInput={(event) => setSubject(event.currentTarget.value)} />
        </Field>
        <datalist id="silence-subjects">{subjects.map((one) => <option key={one} value={one} />)}</datalist>
        <Field name={w.forTime} about={w.until(ends)}>
          <select value={String(time)} onChange={(event) => setTime(Number(event.currentTarget.value))}>
            {kTimes.map((one) => <option key={one} value={String(one)}>{duration(one)}</option>)}
          </select>
        </Field>
        <Field name={w.reason}>
          <input value={reason} maxLength={1000} placeholder={w.reasonHint} onInput={(event) => setReason(event.currentTarget.value)} />
        </Field>
      </div>
    </ChangeDialog>
  );
}
