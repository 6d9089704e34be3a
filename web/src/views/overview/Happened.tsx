// What just happened, in words, newest first.
import { type Happening, type HappeningKind, rowsOf } from '../../api/happenings';
import { memo } from '../../parts/memo';
import { ownerColour } from '../../parts/owner';
import { causeText } from '../../words/causes';
import { moment, momentExact } from '../../words/figures';
import { told } from '../../words/marks';
import { useWords } from '../../words/words';
import { words } from './words';

const kSigns: Record<HappeningKind, [string, string]> = {
  submitted: ['+', 'wait'],
  started: ['▶', 'run'],
  done: ['✓', 'good'],
  failed: ['✕', 'bad'],
  cancelled: ['■', 'wait'],
  aside: ['⇄', 'aside'],
  returned: ['⇄', 'run'],
  held: ['‖', 'wait'],
  released: ['○', 'wait'],
  again: ['↻', 'wait'],
  'card-bad': ['!', 'bad'],
  'card-good': ['✓', 'good'],
};

export const Happened = memo(function Happened({ happenings }: { happenings: Happening[] }) {
  const w = useWords(words);
  const named = w as unknown as Record<string, string>;
  const rows = rowsOf(happenings);
  const why = (one: Happening) => {
    if (one.job === null) return one.detail;
    // An exit code says it all.
    const cause = one.cause && one.kind === 'failed' && !(one.cause === 'exit' && one.detail) ? causeText(one.cause) : null;
    return cause && one.detail ? told(cause, one.detail) : cause ?? one.detail;
  };
  return (
    <section class="panel happened" aria-label={w.happened}>
      <h2>{w.happened}</h2>
      {rows.length === 0 && <p class="quiet">{w.nothingYet}</p>}
      <ol class="happenings">
        {rows.map(({ first, count }) => {
          const [sign, look] = kSigns[first.kind];
          const reason = why(first);
          const folded = count > 1 && first.sweep !== null;
          return (
            <li key={first.key}>
              <time class="quiet number" dateTime={new Date(first.at).toISOString()} title={momentExact(first.at)}>{moment(first.at)}</time>
              <span class={`state-mark ${look}`} aria-hidden="true">{sign}</span>
              <span class="happening-text">
                {first.job === null ? (
                  <span>{w.cardIs(first.cards[0] ?? 0, named[`state_${first.cause}`] ?? first.cause ?? '')}</span>
                ) : (
                  <>
                    <a class="happening-job" href={folded ? `#/sweep/${first.sweep}` : `#/job/${first.job}`}>
                      {first.user !== null && <span class="owner-dot" aria-hidden="true" style={{ background: ownerColour(first.user) }} />}
                      <span class="number">{folded ? `${w.manyJobs(count)} ${w.ofSweep(first.sweep ?? 0)}` : `#${first.job}`}</span>
                      {first.name && <span class="clip name"><bdi>{first.name}</bdi></span>}
                    </a>{' '}
                    <span class={first.kind === 'failed' ? 'bad' : undefined}>{named[`did_${first.kind}`]}</span>
                    {!folded && first.cards.length > 0 && (first.kind === 'started' || first.kind === 'returned') && <span class="quiet"> {w.on(first.cards.join(', '))}</span>}
                  </>
                )}
                {reason && <span class="quiet happening-why name">{reason}</span>}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
});
