// What a reader chooses for this browser: language and colours. And who they are.
import { useState } from 'preact/hooks';
import { Dialog } from '../parts/Dialog';
import { setLanguage, useLanguage, useWords } from '../words/words';
import { Icon } from './Icon';
import { logOut, useSession } from './session';
import { type Theme, setTheme, themeNow } from './theme';
import { words } from './words';

export function Choices() {
  const w = useWords(words);
  const language = useLanguage();
  const [theme, show] = useState(themeNow());
  const choose = (next: Theme) => {
    setTheme(next);
    show(next);
  };
  return (
    <>
      <select aria-label={w.language} value={language} onChange={(event) => setLanguage(event.currentTarget.value as 'en' | 'zh')}>
        <option value="en" lang="en">English</option>
        <option value="zh" lang="zh-CN">中文</option>
      </select>
      <select aria-label={w.theme} value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        <option value="auto">{w.themeAuto}</option>
        <option value="light">{w.themeLight}</option>
        <option value="dark">{w.themeDark}</option>
      </select>
    </>
  );
}
export function WhoIAm() {
  const w = useWords(words);
  const { who } = useSession();
  if (!who) return null;
  return (
    <>
      <span class="who name clip" title={w.loggedInAs(who.user, who.role)}><bdi>{who.user}</bdi></span>
      {who.proof === 'cookie' && <button class="plain" onClick={() => void logOut()}>{w.logOut}</button>}
    </>
  );
}
// On a phone all of that is behind one button.
export function Menu({ showHelp }: { showHelp: () => void }) {
  const w = useWords(words);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button class="plain" aria-label={w.menu} aria-haspopup="dialog" onClick={() => setOpen(true)}><Icon of="more" /></button>
      {open && (
        <Dialog title={w.menu} close={() => setOpen(false)}>
          <div class="menu">
            <Choices />
            <div class="row apart"><WhoIAm /></div>
            <button onClick={() => { setOpen(false); showHelp(); }}>{w.keys}</button>
            <button class="main" onClick={() => setOpen(false)}>{w.close}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}
