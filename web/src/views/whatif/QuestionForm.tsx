// The question: what would be different. Nothing of it changes the machine.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../api/client';
import { useMachine } from '../../api/machine';
import { useAnswer } from '../../api/useAnswer';
import { Field } from '../../parts/Field';
import { told } from '../../words/marks';
import { useWords } from '../../words/words';
import { policyWords } from './policy-words';
import { type Policy, type Question, changesNothing, isCardSize, kDays, kNothing, kPolicies } from './question';
import { sizeText } from './sentence';
import { words } from './words';

interface Props {
  question: Question;
  set: (next: Question) => void;
  replay: (asked: Question) => void;
  busy: boolean;
}
const kGiB = 1024 ** 3;
const kRaised = 70;
const kCaps = [50, 60, 70, 80, 90, 95, 100];

export function QuestionForm({ question, set, replay, busy }: Props) {
  const w = useWords(words);
  const policies = useWords(policyWords);
  const { cards } = useMachine();
  const tenants = useAnswer<Schemas['Tenants']>('/v1/tenants').value?.tenants ?? [];
  const largest = Math.max(0, ...cards.map((card) => card.vram_bytes ?? 0));
  const likeOurs = largest > 0 ? `${Math.max(1, Math.round(largest / kGiB))}G` : '24G';
  const [size, setSize] = useState('');
  const sizeNow = size ? `${size}G` : likeOurs;
  const lastCard = cards[cards.length - 1]?.number;
  const names = new Set(tenants.map((one) => one.name));
  for (const name of [question.without, question.raise]) if (name) names.add(name);
  const tryIt = (change: Partial<Question>) => {
    const next = { ...kNothing, days: question.days, ...change };
    set(next);
    replay(next);
  };
  const toggle = (number: number) =>
    set({ ...question, remove: question.remove.includes(number) ? question.remove.filter((one) => one !== number) : [...question.remove, number] });
  return (
    <form class="panel whatif-form" onSubmit={(event) => { event.preventDefault(); replay(question); }}>
      <div class="row whatif-try" role="group" aria-label={w.try}>
        <span class="quiet">{told(w.try, '')}</span>
        <button type="button" disabled={busy} onClick={() => tryIt({ add: [likeOurs] })}>{w.oneMore(sizeText(likeOurs))}</button>
        {lastCard !== undefined && cards.length > 1 && <button type="button" disabled={busy} onClick={() => tryIt({ remove: [lastCard] })}>{w.oneLess(lastCard)}</button>}
        <button type="button" disabled={busy} onClick={() => tryIt({ policy: 'sjf' })}>{w.otherPolicy}</button>
        <button type="button" disabled={busy} onClick={() => tryIt({ cap: 80 })}>{w.otherCap}</button>
      </div>
      <div class="whatif-fields">
        <Field name={w.period}>
          <select value={String(question.days)} onChange={(event) => set({ ...question, days: Number(event.currentTarget.value) })}>
            {kDays.map((days) => <option key={days} value={String(days)}>{w.days(days)}</option>)}
          </select>
        </Field>
        <fieldset class="field">
          <legend class="field-name">{w.addCards}</legend>
          <div class="row">
            <input type="number" min={1} max={9999} step={1} class="whatif-size" aria-label={w.size} value={size} placeholder={likeOurs.slice(0, -1)} onInput={(event) => setSize(event.currentTarget.value)} />
            <span aria-hidden="true">GiB</span>
            <button type="button" disabled={!isCardSize(sizeNow) || question.add.length >= 16} onClick={() => set({ ...question, add: [...question.add, sizeNow] })}>+ {w.addCard}</button>
          </div>
          <div class="row">
            {question.add.map((one, index) => (
              <button type="button" key={index} class="chip" onClick={() => set({ ...question, add: question.add.filter((_, place) => place !== index) })} aria-label={w.takeBack(sizeText(one))}>+ {sizeText(one)} <span aria-hidden="true">✕</span></button>
            ))}
          </div>
        </fieldset>
        <fieldset class="field">
          <legend class="field-name">{w.removeCards}</legend>
          <div class="row">
            {cards.length === 0 && <span class="quiet">{w.noCards}</span>}
            {cards.map((card) => (
              <label key={card.number} class="tick-box"><input type="checkbox" checked={question.remove.includes(card.number)} onChange={() => toggle(card.number)} /> {w.card(card.number)}</label>
            ))}
          </div>
        </fieldset>
        <Field name={w.policy} about={policies[question.policy as Policy]}>
          <select value={question.policy} onChange={(event) => set({ ...question, policy: event.currentTarget.value })}>
            {kPolicies.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </Field>
        <Field name={w.cap}>
          <select value={String(question.cap ?? '')} onChange={(event) => set({ ...question, cap: event.currentTarget.value ? Number(event.currentTarget.value) : null })}>
            <option value="">{w.capAsIs}</option>
            {[...new Set([...kCaps, ...(question.cap === null ? [] : [question.cap])])].sort((a, b) => a - b).map((cap) => <option key={cap} value={String(cap)}>{cap} %</option>)}
          </select>
        </Field>
        <Field name={w.without}>
          <select value={question.without} onChange={(event) => set({ ...question, without: event.currentTarget.value })}>
            <option value="">{w.nobody}</option>
            {[...names].map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </Field>
        <Field name={w.raise}>
          <select value={question.raise} onChange={(event) => set({ ...question, raise: event.currentTarget.value, priority: event.currentTarget.value ? (question.priority ?? kRaised) : null })}>
            <option value="">{w.noRaise}</option>
            {[...names].map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </Field>
        {question.raise && (
          <Field name={w.priority}>
            <input type="number" min={0} max={100} step={1} value={question.priority ?? ''} onChange={(event) => set({ ...question, priority: event.currentTarget.value === '' ? null : Math.min(100, Math.max(0, Math.round(Number(event.currentTarget.value)))) })} />
          </Field>
        )}
      </div>
      <div class="row">
        <button type="submit" class="main" disabled={busy}>{changesNothing(question) ? w.replayAsIs : w.replay}</button>
        {!changesNothing(question) && <button type="button" onClick={() => set({ ...kNothing, days: question.days })}>{w.forget}</button>}
      </div>
    </form>
  );
}
