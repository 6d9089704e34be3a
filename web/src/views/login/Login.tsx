// For who has no login: how to get one.
import { useState } from 'preact/hooks';
import { logIn } from '../../app/session';
import { useWords } from '../../words/words';
import { words } from './words';

export function Login({ why }: { why: string | null }) {
  const w = useWords(words);
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setFault(null);
    try {
      await logIn(token);
    } catch (problem) {
      setFault(problem instanceof Error ? problem.message : String(problem));
    }
  };
  const reason = fault ?? (why === 'expired' ? w.expired : why);
  return (
    <main class="alone">
      <h1>{w.title}</h1>
      {reason && <p class="bad name" role="alert">{reason}</p>}
      <p>{w.how}</p>
      <p><code>gpusched page</code></p>
      <form onSubmit={(event) => void submit(event)}>
        <p><label for="token">{w.orToken}</label></p>
        <p class="row">
          <input id="token" type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} aria-label={w.token} />
          <button class="main" disabled={token.trim() === ''}>{w.logIn}</button>
        </p>
      </form>
    </main>
  );
}
