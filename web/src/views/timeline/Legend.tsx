// What the patterns of the picture mean.
import { useWords } from '../../words/words';
import { words } from './words';

export function Legend() {
  const w = useWords(words);
  const signs: [string, string][] = [
    ['run', w.legendRun],
    ['aside', w.legendAside],
    ['plan', w.legendPlan],
    ['reserved', w.legendReserved],
    ['drain', w.legendDrain],
    ['alarm', w.legendAlarm],
  ];
  return (
    <div class="legend">
      <ul aria-label={w.legend}>
        {signs.map(([sign, word]) => <li key={sign}><span class={`sign ${sign}`} aria-hidden="true" /> {word}</li>)}
      </ul>
      <p class="quiet">{w.planNote}</p>
    </div>
  );
}
