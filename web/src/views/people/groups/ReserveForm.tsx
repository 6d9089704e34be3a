// A new reservation, with what the daemon would make of it.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useMachine } from '../../../api/machine';
import { may, useSession } from '../../../app/session';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { duration, moment } from '../../../words/figures';
import { clauses, listed } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { type ReserveFields, reserveRequest } from './reserve';
import { words } from './words';

const kTimes = [1800, 3600, 2 * 3600, 3 * 3600, 8 * 3600, 86_400, 3 * 86_400, 7 * 86_400];

export function ReserveForm({ close, done }: { close: () => void; done: () => void }) {
  const w = useWords(words);
  const { who } = useSession();
  const { cards } = useMachine();
  const [fields, setFields] = useState<ReserveFields>({ cards: [], count: '', from: '', forS: 3600, user: '', tenant: '', name: '', maintenance: false });
  const set = (change: Partial<ReserveFields>) => setFields((before) => ({ ...before, ...change }));
  const body = reserveRequest(fields);
  const forOthers = may(who, 'reserve', '');
  const toggle = (number: number) => set({ cards: fields.cards.includes(number) ? fields.cards.filter((one) => one !== number) : [...fields.cards, number] });
  return (
    <ChangeDialog<Schemas['Reservations']>
      title={w.reserve}
      wish={body && { method: 'POST', path: '/v1/reservations', body }}
      plan={(answer) => (
        <>
          {answer.reservations.map((one) => (
            <p key={one.id} class="name">{clauses([w.cards(listed(one.cards.map((card) => card.number))), w.span(moment(one.from), moment(one.until), duration((Date.parse(one.until) - Date.parse(one.from)) / 1000)), one.maintenance ? w.maintenance : w.for(one.tenant ?? one.user ?? '–')])}</p>
          ))}
          {answer.reservations.flatMap((one) => one.jobs_of_others).length > 0 && <p class="warn">{w.others(listed(answer.reservations.flatMap((one) => one.jobs_of_others).slice(0, 10)))}</p>}
        </>
      )}
      close={close}
      done={() => {
        say(w.reserved);
        done();
      }}
    >
      <fieldset class="field">
        <legend class="field-name">{w.which}</legend>
        <div class="row">
          {cards.map((card) => <label key={card.number} class="tick-box"><input type="checkbox" checked={fields.cards.includes(card.number)} onChange={() => toggle(card.number)} /> {w.card(card.number)}</label>)}
        </div>
      </fieldset>
      <div class="fields">
        {fields.cards.length === 0 && <Field name={w.anyCards}><input inputMode="numeric" value={fields.count} onInput={(event) => set({ count: event.currentTarget.value })} /></Field>}
        <Field name={w.from} about={w.fromNow}><input type="datetime-local" value={fields.from} onInput={(event) => set({ from: event.currentTarget.value })} /></Field>
        <Field name={w.forTime}>
          <select value={String(fields.forS)} onChange={(event) => set({ forS: Number(event.currentTarget.value) })}>
            {kTimes.map((one) => <option key={one} value={String(one)}>{duration(one)}</option>)}
          </select>
        </Field>
        <Field name={w.purpose}><input value={fields.name} maxLength={255} placeholder={w.purposeHint} onInput={(event) => set({ name: event.currentTarget.value })} /></Field>
        {forOthers && !fields.maintenance && (
          <>
            <Field name={w.user} about={w.userAbout}><input value={fields.user} maxLength={255} autocomplete="off" onInput={(event) => set({ user: event.currentTarget.value })} /></Field>
            <Field name={w.tenant}><input value={fields.tenant} maxLength={255} autocomplete="off" onInput={(event) => set({ tenant: event.currentTarget.value })} /></Field>
          </>
        )}
      </div>
      {forOthers && <label class="tick-box"><input type="checkbox" checked={fields.maintenance} onChange={(event) => set({ maintenance: event.currentTarget.checked })} /> {w.isMaintenance}</label>}
    </ChangeDialog>
  );
}
