// The times above the picture, in the reader's time zone.
import { locale } from '../../words/words';
import { useLanguage, useWords } from '../../words/words';
import { xOf } from './draw';
import { type Range, type Tick, kDay } from './range';
import { words } from './words';

export function Axis({ ticks, range, width, now, at }: { ticks: Tick[]; range: Range; width: number; now: number; at: number | null }) {
  const w = useWords(words);
  useLanguage();
  const clock = new Intl.DateTimeFormat(locale(), { hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(locale(), { weekday: 'short', day: 'numeric', month: 'short' });
  const place = { range, width };
  const nowX = xOf(place, now);
  return (
    <div class="axis" aria-hidden="true">
      {ticks.map((tick) => {
        const x = xOf(place, tick.at);
        // The word "now" covers what is near to it.
        if (Math.abs(x - nowX) < 46 || x < 20 || x > width - 24) return null;
        return <span key={tick.at} class={`tick number ${tick.day ? 'day' : ''}`} style={{ left: `${x}px` }}>{tick.day || range.until - range.from > 8 * kDay ? day.format(tick.at) : clock.format(tick.at)}</span>;
      })}
      {nowX >= 0 && nowX <= width && <span class="tick now" style={{ left: `${nowX}px` }}>{w.now}</span>}
      {at !== null && xOf(place, at) >= 0 && xOf(place, at) <= width && <span class="tick at" style={{ left: `${xOf(place, at)}px` }}>▾</span>}
    </div>
  );
}
