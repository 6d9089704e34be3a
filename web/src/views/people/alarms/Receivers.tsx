// Which messages wait for which receiver, why, and whether a receiver works.
import { useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useAnswer } from '../../../api/useAnswer';
import { Asked } from '../../../parts/Asked';
import { ChangeDialog } from '../../../parts/ChangeDialog';
import { say } from '../../../parts/Notices';
import { amount, moment } from '../../../words/figures';
import { listed } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { words } from './words';

const kEvery = 10_000;

export function Receivers({ mayTest }: { mayTest: boolean }) {
  const w = useWords(words);
  const answer = useAnswer<Schemas['Outbox']>('/v1/outbox', kEvery);
  const [testing, setTesting] = useState<string | null>(null);
  return (
    <section>
      <h2>{w.receivers}</h2>
      <Asked answer={answer}>
        {({ receivers }) => (
          <>
            {receivers.length === 0 && <p class="quiet">{w.noReceivers}</p>}
            <ul class="cards-grid plain-list">
              {receivers.map((one) => (
                <li key={one.receiver} class="panel">
                  <div class="head-line">
                    <h3 class="name"><bdi>{one.receiver}</bdi></h3>
                    <span class="quiet">{one.channel ?? w.gone}</span>
                  </div>
                  <dl class="facts">
                    <dt>{w.waiting}</dt>
                    <dd class={`number ${one.waiting > 0 && one.tries > 0 ? 'warn' : ''}`}>{amount(one.waiting)}</dd>
                    {one.waiting > 0 && (
                      <>
                        <dt>{w.oldest}</dt>
                        <dd class="number">{moment(one.oldest)}</dd>
                        <dt>{w.nextTry}</dt>
                        <dd class="number">{moment(one.next)}</dd>
                      </>
                    )}
                    {one.error && (
                      <>
                        <dt>{w.error}</dt>
                        <dd class="name bad">{one.error}</dd>
                      </>
                    )}
                  </dl>
                  {mayTest && one.channel && <p><button onClick={() => setTesting(one.receiver)} aria-label={w.testOf(one.receiver)}>{w.test}</button></p>}
                </li>
              ))}
            </ul>
          </>
        )}
      </Asked>
      {testing !== null && (
        <ChangeDialog<Schemas['AlarmTested']>
          title={w.testOf(testing)}
          verb={w.test}
          about={w.testAbout}
          wish={{ method: 'POST', path: '/v1/alarms/test', body: { receiver: testing } }}
          plan={(told) => <p>{w.testGoes(listed(told.receivers))}</p>}
          close={() => setTesting(null)}
          done={(told) => {
            say(w.testSent(listed(told.receivers)));
            answer.again();
          }}
        />
      )}
    </section>
  );
}
