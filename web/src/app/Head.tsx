// The line at the top of every view; on a phone the places one can go are at the bottom, where the
// thumb is.
import { useMachine } from '../api/machine';
import { useWords } from '../words/words';
import { Choices, Menu, WhoIAm } from './Choices';
import { Freshness } from './Freshness';
import { Icon } from './Icon';
import { useNarrow } from './narrow';
import { words } from './words';

const kPlaces = [
  ['', '#/', 'overview'],
  ['timeline', '#/timeline', 'timeline'],
  ['jobs', '#/jobs', 'jobs'],
  ['submit', '#/submit', 'submit'],
  ['whatif', '#/whatif', 'whatif'],
  ['people', '#/people', 'people'],
] as const;
// A job and a sweep are reached from the list of jobs.
const kBelongs: Record<string, string> = { job: 'jobs', sweep: 'jobs' };

export function Head({ here, showHelp }: { here: string; showHelp: () => void }) {
  const w = useWords(words);
  const machine = useMachine();
  const narrow = useNarrow();
  const place = kBelongs[here] ?? here;
  return (
    <header class="head">
      <a class="brand" href="#/">gpusched</a>
      <nav aria-label={w.views}>
        {kPlaces.map(([name, href, word]) => (
          <a key={name} href={href} aria-current={place === name ? 'page' : undefined}>
            {narrow && <Icon of={name} />}
            <span>{w[word]}</span>
          </a>
        ))}
      </nav>
      <div class="head-right">
        {machine.alarms.length > 0 && (
          <a class="alarm-count" href="#/people/alarms"><span aria-hidden="true">!</span> {w.alarms(machine.alarms.length)}</a>
        )}
        <Freshness machine={machine} />
        {narrow ? (
          <Menu showHelp={showHelp} />
        ) : (
          <>
            <Choices />
            <button class="plain" onClick={showHelp} aria-label={w.help} title={w.help}>?</button>
            <WhoIAm />
          </>
        )}
      </div>
    </header>
  );
}
