// For who has no login, or none any more: why, and how to get one. The address stays as it is, so that
// one is where one was afterwards.
import { useState } from 'preact/hooks';
import { logIn } from '../../app/session';
import { setLanguage, useLanguage, useWords } from '../../words/words';
import { reasonText } from './reason';
import { words } from './words';
import './login.css';

export function Login({ why }: { why: string | null }) {
  const w = useWords(words);
  const language = useLanguage();
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setFault(null);
    setBusy(true);
    try {
      await logIn(token);
    } catch (problem) {
      setFault(problem instanceof Error ? problem.message : String(problem));
    }
    setBusy(false);
  };
  const reason = fault ?? reasonText(why);
  return (
    <main class="alone login">
      <h1>{w.title}</h1>
      {reason && <p class="bad name login-why" role="alert"><span aria-hidden="true">! </span>{reason}</p>}
      {why !== null && <p class="quiet">{w.back}</p>}
      <p>{w.how}</p>
      <p><code class="login-command">gpusched page</code></p>
      <form onSubmit={(event) => void submit(event)}>
        <p><label for="token">{w.orToken}</label></p>
        <p class="row">
          <input id="token" type="password" autocomplete="off" spellcheck={false} value={token} onInput={(event) => setToken(event.currentTarget.value)} />
          <button class="main" disabled={busy || token.trim() === ''}>{w.logIn}</button>
        </p>
      </form>
      <p><button class="plain quiet" lang={language === 'zh' ? 'en' : 'zh-CN'} onClick={() => setLanguage(language === 'zh' ? 'en' : 'zh')}>{language === 'zh' ? 'English' : '中文'}</button></p>
    </main>
  );
}
