// The variables of one's own job, with a search: there are many.
import { useState } from 'preact/hooks';
import { useWords } from '../../words/words';
import { words } from './words';

const kShown = 200;

export function Environment({ list }: { list: string[] }) {
  const w = useWords(words);
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const wanted = text.toLowerCase();
  const found = list.filter((one) => one.toLowerCase().includes(wanted)).sort();
  return (
    <section class="panel" aria-label={w.environment}>
      <h2><button class="plain opener" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? '▾' : '▸'} {w.environment} <span class="quiet">({list.length})</span></button></h2>
      {open && (
        <>
          <p><input type="search" class="wide" aria-label={w.searchEnvironment} placeholder={w.searchEnvironment} value={text} onInput={(event) => setText(event.currentTarget.value)} /></p>
          <div class="environment" tabIndex={0} role="region" aria-label={w.environment}>
            <dl>
              {found.slice(0, kShown).map((one) => {
                const at = one.indexOf('=');
                return <div key={one}><dt class="name">{one.slice(0, at)}</dt><dd><code class="name">{one.slice(at + 1)}</code></dd></div>;
              })}
            </dl>
            {found.length === 0 && <p class="quiet">{w.nothingFound}</p>}
          </div>
        </>
      )}
    </section>
  );
}
