// Cards that are kept for somebody: when, which, for whom, by whom.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { may, useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { say } from '../../../parts/Notices';
import { duration, moment, momentExact } from '../../../words/figures';
import { clauses, isolated, listed } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { ReserveForm } from './ReserveForm';
import { words } from './words';

const kEvery = 15_000;
type Reservation = Schemas['Reservation'];

export function ReservationList() {
  const w = useWords(words);
  const { who } = useSession();
  const answer = useAnswer<Schemas['Reservations']>('/v1/reservations', kEvery);
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<Reservation | null>(null);
  const nameOf = (one: Reservation) => one.name ?? w.unnamed(one.id);
  // One's own is what is for oneself, or was made by oneself.
  const mayEnd = (one: Reservation) => one.id > 0 && may(who, 'unreserve', one.by === who?.user ? one.by : (one.user ?? ''));
  return (
    <section>
      <div class="head-line">
        <h2>{w.reservations}</h2>
        {may(who, 'reserve') && <button onClick={() => setMaking(true)}>{w.reserve}</button>}
      </div>
      <p class="quiet">{w.reservationsLead}</p>
      <Asked answer={answer}>
        {({ reservations }) => (
          <>
            {reservations.length === 0 && <p class="empty">{w.noReservations}</p>}
            <ul class="plain-list">
              {reservations.map((one) => {
                const now = Date.parse(one.from) <= Date.now() && Date.now() < Date.parse(one.until);
                return (
                  <li key={`${one.id} ${one.from} ${one.name}`} class="group-line">
                    <span class="group-words">
                      <span class="row"><b class="name"><bdi>{nameOf(one)}</bdi></b> <span>{w.cards(listed(one.cards.map((card) => card.number)))}</span> {now && <span class="mark good"><span aria-hidden="true">▶</span> {w.now}</span>}</span>
                      <span class="number" title={`${momentExact(one.from)} – ${momentExact(one.until)}`}>{w.span(moment(one.from), moment(one.until), duration((Date.parse(one.until) - Date.parse(one.from)) / 1000))}</span>
                      <span class="quiet name">{clauses([one.maintenance ? w.maintenance : w.for(one.tenant ?? one.user ?? '–'), one.id === 0 ? w.calendar : w.by(one.by)])}</span>
                      {one.jobs_of_others.length > 0 && <span class="warn"><span aria-hidden="true">! </span>{w.others(listed(one.jobs_of_others.slice(0, 10)))}</span>}
                    </span>
                    {mayEnd(one) && <button class="danger" onClick={() => setEnding(one)} aria-label={w.endOf(nameOf(one))}>{w.end}</button>}
                  </li>
                );
              })}
            </ul>
          </>
        )}
      </Asked>
      {making && <ReserveForm close={() => setMaking(false)} done={answer.again} />}
      {ending && (
        <ChangeDialog<Schemas['Reservations']>
          title={w.endOf(isolated(nameOf(ending)))}
          verb={w.end}
          danger
          wish={{ method: 'DELETE', path: `/v1/reservations/${ending.id}` }}
          plan={() => <p>{w.endAbout}</p>}
          close={() => setEnding(null)}
          done={() => {
            say(w.ended);
            answer.again();
          }}
        />
      )}
    </section>
  );
}
