// The rules in force: what each watches, from which value on, and who is told.
import type { Schemas } from '../../../api/client';
import { amount, bytes, duration } from '../../../words/figures';
import { listed } from '../../../words/marks';
import { useWords } from '../../../words/words';
import { SeverityMark } from './AlarmItem';
import { ruleName, ruleWatches } from './rule-words';
import { words } from './words';

export function valueText(value: number | null, unit: string | null): string {
  if (value === null) return '–';
  switch (unit) {
    case 'bytes':
      return bytes(value);
    case 'seconds':
      return duration(value);
    case 'celsius':
      return `${amount(value)} °C`;
    case 'percent':
      return `${amount(value)} %`;
    default:
      return amount(value);
  }
}

export function Rules({ rules }: { rules: Schemas['AlarmRule'][] }) {
  const w = useWords(words);
  const list = (names: string[]) => (names.length ? listed(names) : w.nobody);
  return (
    <details class="panel rules">
      <summary>{w.rules} <span class="quiet number">({rules.length})</span></summary>
      <div class="cards-grid">
        {rules.map((rule) => (
          <section key={rule.name} class="rule">
            <div class="head-line">
              <h2 class="name">{ruleName(rule.name, rule.kind)}</h2>
              {rule.enabled ? <SeverityMark severity={rule.severity} /> : <span class="quiet">{w.off}</span>}
            </div>
            <p class="quiet">{ruleWatches(rule.kind, rule.watches)}</p>
            {rule.enabled && (
              <dl class="facts">
                {rule.threshold !== null && (
                  <>
                    <dt>{w.threshold}</dt>
                    <dd class="number">{(rule.below ? w.below : w.above)(valueText(rule.threshold, rule.unit))}</dd>
                  </>
                )}
                <dt>{w.forS}</dt>
                <dd class="number">{rule.for_s ? duration(rule.for_s) : w.atOnce}</dd>
                <dt>{w.overAfter}</dt>
                <dd class="number">{rule.clear_for_s ? duration(rule.clear_for_s) : w.atOnce}</dd>
                <dt>{w.repeats}</dt>
                <dd class="number">{rule.repeat_s ? w.everyTime(duration(rule.repeat_s)) : w.once}</dd>
                <dt>{w.told}</dt>
                <dd class="name">{list(rule.receivers)}</dd>
                {rule.inhibited_by.length > 0 && (
                  <>
                    <dt>{w.notDuring}</dt>
                    <dd>{listed(rule.inhibited_by.map((name) => ruleName(name, name)))}</dd>
                  </>
                )}
              </dl>
            )}
          </section>
        ))}
      </div>
    </details>
  );
}
