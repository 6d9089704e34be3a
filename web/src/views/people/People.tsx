// People and rules: shares, reports, alarms, and who may do what. Each place has an address.
import type { ViewProps } from '../../app/App';
import { useKeys } from '../../app/keys';
import { go } from '../../app/route';
import { useSession } from '../../app/session';
import { useWords } from '../../words/words';
import { kTabs } from './tabs';
import { words } from './words';
import './people.css';

export function People({ route }: ViewProps) {
  const w = useWords(words);
  const { who } = useSession();
  const tabs = kTabs.filter((tab) => tab.shown(who));
  const wanted = route.path[1];
  const here = wanted === undefined ? tabs[0] : tabs.find((tab) => tab.name === wanted);
  const View = here?.view;
  const step = (by: number) => {
    const place = here ? tabs.indexOf(here) : 0;
    const next = tabs[(place + by + tabs.length) % tabs.length];
    if (next) go(`#/people/${next.name}`);
  };
  useKeys([
    { key: ']', what: w.next, act: () => step(1) },
    { key: '[', what: w.before, act: () => step(-1) },
  ]);
  return (
    <div class="people">
      <nav class="tabs" aria-label={w.places}>
        {tabs.map((tab) => (
          <a key={tab.name} href={`#/people/${tab.name}`} aria-current={here === tab ? 'page' : undefined}>{w[tab.word]}</a>
        ))}
      </nav>
      <h1>{here ? w[here.word] : w.title}</h1>
      {View ? <View route={route} /> : <p class="quiet">{w.notYours}</p>}
    </div>
  );
}
