// What is on, what is kept quiet, who is told, and by which rules.
import { useEffect, useState } from 'preact/hooks';
import type { Schemas } from '../../../api/client';
import { useMachine } from '../../../api/machine';
import { useAnswer } from '../../../api/useAnswer';
import type { ViewProps } from '../../../app/App';
import { may, useSession } from '../../../app/session';
import { Asked } from '../../../parts/Asked';
import { useWords } from '../../../words/words';
import { AlarmItem } from './AlarmItem';
import { Receivers } from './Receivers';
import { Rules } from './Rules';
import { type Hint, SilenceForm } from './SilenceForm';
import { Silences } from './Silences';
import { words } from './words';
import './alarms.css';

const kEvery = 30_000;

export function Alarms(_: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const { alarms: told } = useMachine();
  const answer = useAnswer<Schemas['AlarmList']>('/v1/alarms', kEvery);
  const [silencing, setSilencing] = useState<Hint | null>(null);
  const maySilence = may(who, 'silence');
  // The stream says when something comes or goes; silences and who was told stand in the whole answer.
  const signs = told.map((one) => `${one.rule} ${one.subject} ${one.told_at} ${one.quiet_because}`).join('\n');
  useEffect(() => {
    if (answer.at) answer.again();
  }, [signs]);
  return (
    <Asked answer={answer}>
      {({ alarms, silences, rules }) => (
        <>
          <section>
            <div class="head-line">
              <h2>{w.on}</h2>
              {maySilence && <button onClick={() => setSilencing({ rule: '', subject: '' })}>{w.silenceOne}</button>}
            </div>
            {alarms.length === 0 && <p class="empty"><span aria-hidden="true" class="good">✓ </span>{w.none}</p>}
            <ul class="plain-list alarm-list">
              {alarms.map((alarm) => (
                <AlarmItem key={`${alarm.rule} ${alarm.subject}`} alarm={alarm} rules={rules} silence={maySilence ? () => setSilencing({ rule: alarm.rule, subject: alarm.subject }) : null} />
              ))}
            </ul>
          </section>
          <Silences silences={silences} rules={rules} mayEnd={maySilence} done={answer.again} />
          {may(who, 'see_outbox') && <Receivers mayTest={maySilence} />}
          <Rules rules={rules} />
          {silencing && <SilenceForm hint={silencing} rules={rules} alarms={alarms} close={() => setSilencing(null)} done={answer.again} />}
        </>
      )}
    </Asked>
  );
}
