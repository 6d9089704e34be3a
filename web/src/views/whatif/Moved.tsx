// The jobs whose start would have moved most, those that gain first.
import type { WhatIfAnswer } from '../../api/whatif';
import { durationFine } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

type MovedJob = WhatIfAnswer['moved_most'][number];
const kShown = 8;

export function splitMoved(jobs: MovedJob[]): { gain: MovedJob[]; lose: MovedJob[] } {
  const by = (one: MovedJob) => one.would_wait_s - one.as_configured_wait_s;
  return {
    gain: jobs.filter((one) => by(one) < 0).sort((a, b) => by(a) - by(b)).slice(0, kShown),
    lose: jobs.filter((one) => by(one) > 0).sort((a, b) => by(b) - by(a)).slice(0, kShown),
  };
}

export function Moved({ jobs }: { jobs: MovedJob[] }) {
  const w = useWords(words);
  const { gain, lose } = splitMoved(jobs);
  if (!gain.length && !lose.length) return <p class="quiet">{w.nobodyMoves}</p>;
  const list = (title: string, some: MovedJob[], look: string, text: (time: string) => string) =>
    some.length > 0 && (
      <>
        <h4 class={look}>{title}</h4>
        <ul class="whatif-moved">
          {some.map((one) => (
            <li key={one.job}>
              <a href={`#/job/${one.job}`} class="clip"><span class="number">{one.job}</span> <bdi>{one.name ?? one.tenant}</bdi></a>
              <span class="number">{durationFine(one.as_configured_wait_s)} → {durationFine(one.would_wait_s)}</span>
              <span class={`number ${look}`}>{text(durationFine(Math.abs(one.would_wait_s - one.as_configured_wait_s)))}</span>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <>
      {list(`▾ ${w.gains}`, gain, 'good', w.sooner)}
      {list(`▴ ${w.loses}`, lose, 'bad', w.later)}
    </>
  );
}
