// Cards out of use and back, with the reason, for those who keep the machine going.
import { useState } from 'preact/hooks';
import type { Card, Schemas } from '../../../api/client';
import { useMachine } from '../../../api/machine';
import type { ViewProps } from '../../../app/App';
import { may, useSession } from '../../../app/session';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { Field } from '../../../parts/Field';
import { say } from '../../../parts/Notices';
import { bytes } from '../../../words/figures';
import { listed } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { words } from './words';

const kLooks: Record<string, [string, string]> = { ok: ['✓', 'good'], unknown: ['?', 'warn'], asleep: ['☾', 'quiet'], gone: ['✕', 'bad'], drained: ['‖', 'warn'], ignored: ['–', 'quiet'] };

export function CardsTab(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const { cards } = useMachine();
  const [changing, setChanging] = useState<{ card: Card; drain: boolean } | null>(null);
  const states = w as unknown as Record<string, string>;
  return (
    <>
      <p class="quiet">{w.lead}</p>
      {cards.length === 0 && <p class="empty">{w.none}</p>}
      <ul class="cards-grid plain-list">
        {cards.map((card) => {
          const [sign, look] = kLooks[card.state] ?? ['?', 'quiet'];
          const drained = card.state === 'drained';
          return (
            <li key={card.uuid} class="panel">
              <div class="head-line">
                <h2>{w.card(card.number)}{card.alias && <> <bdi class="name quiet">{card.alias}</bdi></>}</h2>
                <span class={`mark ${look}`}><span aria-hidden="true">{sign}</span> {states[card.state] ?? card.state}</span>
              </div>
              <p class="quiet name">{card.model}, {bytes(card.vram_bytes)}<br /><code>{card.uuid}</code></p>
              <dl class="facts">
                {card.reason && (
                  <>
                    <dt>{w.why}</dt>
                    <dd class="name">{card.reason}</dd>
                  </>
                )}
                <dt>{w.jobs}</dt>
                <dd class="card-jobs">{card.jobs?.length ? card.jobs.map((id) => <a key={id} class="number" href={`#/job/${id}`}>{id}</a>) : w.noJobs}</dd>
              </dl>
              <p class="row">
                {!drained && card.state !== 'ignored' && may(who, 'drain') && <button onClick={() => setChanging({ card, drain: true })} aria-label={w.drainOf(card.number)}>{w.drain}</button>}
                {drained && may(who, 'undrain') && <button onClick={() => setChanging({ card, drain: false })} aria-label={w.undrainOf(card.number)}>{w.undrain}</button>}
              </p>
            </li>
          );
        })}
      </ul>
      {changing && <DrainDialog card={changing.card} drain={changing.drain} close={() => setChanging(null)} />}
    </>
  );
}

function DrainDialog({ card, drain, close }: { card: Card; drain: boolean; close: () => void }) {
  const w = useWords(words);
  const [reason, setReason] = useState('');
  const jobs = card.jobs ?? [];
  const path = `/v1/gpus/${card.number}/${drain ? 'drain' : 'undrain'}`;
  return (
    <ChangeDialog<Schemas['DrainedCards']>
      title={drain ? w.drainOf(card.number) : w.undrainOf(card.number)}
      verb={drain ? w.drain : w.undrain}
      about={drain ? w.drainAbout : w.undrainAbout}
      wish={{ method: 'POST', path, body: drain ? { reason: reason.trim() || null } : undefined }}
      plan={() => <p>{jobs.length ? w.goesOn(listed(jobs.slice(0, 12))) : w.nothingThere}</p>}
      close={close}
      done={() => say(drain ? w.didDrain(card.number) : w.didUndrain(card.number))}
    >
      {drain && <Field name={w.reason}><input value={reason} maxLength={1000} placeholder={w.reasonHint} onInput={(event) => setReason(event.currentTarget.value)} /></Field>}
    </ChangeDialog>
  );
}
