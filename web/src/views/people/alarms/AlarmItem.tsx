// One alarm: how bad, what, of whom, since when, what to do, and who knows of it.
import type { Schemas } from '../../../api/client';
import { duration, moment, momentExact, secondsSince } from '../../../words/figures';
import { listed } from '../../../words/marks';
import { useWords, wordsNow } from '../../../words/words';
import { ruleName } from './rule-words';
import { words } from './words';

const kLooks = { critical: ['✕', 'bad'], warning: ['!', 'warn'], info: ['i', 'quiet'] } as const;

export function SeverityMark({ severity }: { severity: Schemas['Alarm']['severity'] }) {
  const w = useWords(words);
  const [sign, look] = kLooks[severity] ?? kLooks.info;
  return <span class={`mark ${look}`}><span aria-hidden="true">{sign}</span> {w[severity] ?? severity}</span>;
}

// "silence 3" and "inhibited by card_lost" are what the daemon says.
export function quietText(why: string, rules: Schemas['AlarmRule'][]): string {
  const w = wordsNow(words);
  const silence = /^silence (\d+)$/.exec(why);
  if (silence) return w.bySilence(silence[1] ?? '');
  const rule = /^inhibited by (\S+)$/.exec(why)?.[1];
  return rule ? w.byRule(ruleName(rule, rules.find((one) => one.name === rule)?.kind ?? rule)) : why;
}

interface Props {
  alarm: Schemas['Alarm'];
  rules: Schemas['AlarmRule'][];
  silence: (() => void) | null;
}
export function AlarmItem({ alarm, rules, silence }: Props) {
  const w = useWords(words);
  const kind = rules.find((rule) => rule.name === alarm.rule)?.kind ?? alarm.rule;
  return (
    <li class={`panel alarm ${alarm.severity} ${alarm.quiet_because ? 'is-quiet' : ''}`}>
      <div class="head-line">
        <span class="row"><SeverityMark severity={alarm.severity} /> <span>{ruleName(alarm.rule, kind)}</span> <bdi class="name quiet">{alarm.subject}</bdi></span>
        <span class="quiet number" title={momentExact(alarm.since)}>{w.since(moment(alarm.since), duration(secondsSince(alarm.since)))}</span>
      </div>
      <p class="alarm-what name">{alarm.what}</p>
      <dl class="facts">
        {alarm.advice && (
          <>
            <dt>{w.advice}</dt>
            <dd class="name">{alarm.advice}</dd>
          </>
        )}
        {alarm.whom && (
          <>
            <dt>{w.whom}</dt>
            <dd class="name">{alarm.job ? <a href={`#/job/${alarm.job}`}>{alarm.whom}</a> : alarm.whom}</dd>
          </>
        )}
      </dl>
      <div class="head-line alarm-foot">
        <span class="quiet">
          {alarm.told_at ? w.toldTo(listed(alarm.told_to), moment(alarm.told_at)) : w.toldNobody}
          {alarm.quiet_because && <span class="alarm-quiet">{w.quiet(quietText(alarm.quiet_because, rules))}</span>}
        </span>
        {silence && <button onClick={silence} aria-label={`${w.silence} ${alarm.what}`}>{w.silence}</button>}
      </div>
    </li>
  );
}
