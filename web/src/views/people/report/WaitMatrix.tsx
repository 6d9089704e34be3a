// Who waited for whom, as a small table whose cells are shaded by how long.
import type { Schemas } from '../../../api/client';
import { amount } from '../../../words/figures';
import { useWords } from '../../../words/words';
import { gpuHours } from './figures';
import { matrixOf } from './fold';
import { words } from './words';

export function WaitMatrix({ pairs }: { pairs: Schemas['ReportWaitedFor'][] }) {
  const w = useWords(words);
  const { waiters, holders, seconds, most, folded } = matrixOf(pairs);
  return (
    <section class="panel">
      <h2>{w.waitedFor}</h2>
      <p class="quiet">{w.waitedForAbout}</p>
      <div class="scroll" tabIndex={0} role="region" aria-label={w.waitedFor}>
        <table class="wait-matrix">
          <thead>
            <tr>
              <th scope="col">{w.waiter} ↓ {w.holder} →</th>
              {holders.map((holder) => <th scope="col" class="number" key={holder}>{holder ? <bdi class="clip matrix-name" title={holder}>{holder}</bdi> : w.free}</th>)}
            </tr>
          </thead>
          <tbody>
            {waiters.map((waiter, row) => (
              <tr key={waiter}>
                <th scope="row"><bdi class="clip matrix-name" title={waiter}>{waiter}</bdi></th>
                {holders.map((holder, column) => {
                  const value = seconds[row]?.[column] ?? 0;
                  return (
                    <td key={holder} class="number matrix-cell">
                      {value > 0 && <i aria-hidden="true" style={{ opacity: String(0.08 + 0.32 * (value / Math.max(most, 1e-9))) }} />}
                      <span>{value > 0 ? gpuHours(value) : '·'}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {folded > 0 && <p class="quiet">{w.rest(amount(folded))}</p>}
    </section>
  );
}
