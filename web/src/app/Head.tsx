// The line at the top of every view.
import { useWords, setLanguage, useLanguage } from '../words/words';
import { useMachine } from '../api/machine';
import { Freshness } from './Freshness';
import { words } from './words';
import { type Theme, setTheme, themeNow } from './theme';
import { logOut, useSession } from './session';

const kPlaces = [
  ['', '#/', 'overview'],
  ['timeline', '#/timeline', 'timeline'],
  ['jobs', '#/jobs', 'jobs'],
  ['submit', '#/submit', 'submit'],
  ['whatif', '#/whatif', 'whatif'],
  ['people', '#/people', 'people'],
] as const;

export function Head({ here, showHelp }: { here: string; showHelp: () => void }) {
  const w = useWords(words);
  const language = useLanguage();
  const machine = useMachine();
  const { who } = useSession();
  return (
    <header class="head">
      <a class="brand" href="#/">gpusched</a>
      <nav aria-label={w.views}>
        {kPlaces.map(([name, href, word]) => (
          <a key={name} href={href} aria-current={here === name ? 'page' : undefined}>{w[word]}</a>
        ))}
      </nav>
      <div class="head-right">
        {machine.alarms.length > 0 && (
          <a class="alarm-count" href="#/people/alarms"><span aria-hidden="true">!</span> {w.alarms(machine.alarms.length)}</a>
        )}
        <Freshness machine={machine} />
        <select aria-label={w.language} value={language} onChange={(event) => setLanguage(event.currentTarget.value as 'en' | 'zh')}>
          <option value="en">English</option>
          <option value="zh">中文</option>
        </select>
        <select aria-label={w.theme} value={themeNow()} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
          <option value="auto">{w.themeAuto}</option>
          <option value="light">{w.themeLight}</option>
          <option value="dark">{w.themeDark}</option>
        </select>
        <button class="plain" onClick={showHelp} aria-label={w.help}>?</button>
        {who && <span class="quiet name" title={who.role}>{who.user}</span>}
        {who?.proof === 'cookie' && <button class="plain" onClick={() => void logOut()}>{w.logOut}</button>}
      </div>
    </header>
  );
}
