// Goes to a moment by a slider, or by day and time.
import { useState } from 'preact/hooks';
import { momentExact } from '../../words/figures';
import { useWords } from '../../words/words';
import type { Range } from './range';
import { words } from './words';

const kSteps = 400;

// As <input type="datetime-local"> has it, by the reader's clock.
export function localText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function Scrubber({ range, now, at, choose }: { range: Range; now: number; at: number | null; choose: (at: number) => void }) {
  const w = useWords(words);
  const [typed, type] = useState<string | null>(null);
  const span = range.until - range.from;
  const shown = Math.min(at ?? now, now);
  const submit = (event: Event) => {
    event.preventDefault();
    const time = Date.parse(typed ?? localText(shown));
    type(null);
    if (Number.isFinite(time)) choose(time);
  };
  return (
    <div class="scrubber">
      <input
        type="range"
        class="scrub"
        min={0}
        max={kSteps}
        step={1}
        value={Math.round(((shown - range.from) / span) * kSteps)}
        aria-label={w.scrubber}
        aria-valuetext={momentExact(shown)}
        onInput={(event) => choose(Math.min(Date.now() - 1, range.from + (Number(event.currentTarget.value) / kSteps) * span))}
      />
      <form class="row" onSubmit={submit}>
        <input type="datetime-local" aria-label={w.exact} value={typed ?? localText(shown)} onInput={(event) => type(event.currentTarget.value)} />
        <button>{w.goThere}</button>
      </form>
    </div>
  );
}
