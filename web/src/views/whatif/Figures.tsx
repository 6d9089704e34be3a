// All figures of the three columns: as it was, replayed as it is, replayed with the change.
import type { WhatIfAnswer, WhatIfFigures } from '../../api/whatif';
import { amount, durationFine, percent } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

type Name = keyof WhatIfFigures;
const kRows: [Name, (value: number) => string, 'less' | 'more' | ''][] = [
  ['average_wait_s', durationFine, 'less'],
  ['median_wait_s', durationFine, 'less'],
  ['p90_wait_s', durationFine, 'less'],
  ['p99_wait_s', durationFine, 'less'],
  ['average_completion_s', durationFine, 'less'],
  ['utilisation_percent', percent, ''],
  ['preemptions', amount, ''],
  ['makespan_s', durationFine, 'less'],
];

export function Figures({ answer, nothing }: { answer: WhatIfAnswer; nothing: boolean }) {
  const w = useWords(words);
  const names: Record<Name, string> = {
    average_wait_s: w.averageWait,
    median_wait_s: w.medianWait,
    p90_wait_s: w.p90Wait,
    p99_wait_s: w.p99Wait,
    average_completion_s: w.completion,
    utilisation_percent: w.utilisation,
    preemptions: w.preemptions,
    makespan_s: w.makespan,
  };
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={w.figures}>
        <table class="whatif-figures">
          <thead>
            <tr>
              <th scope="col">{w.figure}</th>
              <th scope="col" class="number">{w.was}</th>
              <th scope="col" class="number">{w.asConfigured}</th>
              {!nothing && <th scope="col" class="number">{w.would}</th>}
            </tr>
          </thead>
          <tbody>
            {kRows.map(([name, unit, better]) => {
              const [before, after] = [answer.as_configured[name], answer.would[name]];
              const differs = unit(before) !== unit(after);
              const good = differs && better === 'less' && after < before;
              const bad = differs && better === 'less' && after > before;
              return (
                <tr key={name}>
                  <th scope="row">{names[name]}</th>
                  <td class="number quiet">{unit(answer.was[name])}</td>
                  <td class="number">{unit(before)}</td>
                  {!nothing && <td class={`number ${good ? 'good' : bad ? 'bad' : ''}`}>{differs && <span aria-hidden="true">{after < before ? '▾ ' : '▴ '}</span>}{unit(after)}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="quiet whatif-small">{w.columnsAbout}</p>
    </>
  );
}
