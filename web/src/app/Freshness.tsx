// How old the data on the page is, in words. Said aloud only when the connection is lost or back.
import { useEffect, useState } from 'preact/hooks';
import type { Machine } from '../api/machine';
import { duration } from '../words/figures';
import { useWords } from '../words/words';
import { useNarrow } from './narrow';
import { words } from './words';

export function Freshness({ machine }: { machine: Machine }) {
  const w = useWords(words);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const age = duration((now - machine.heardAt) / 1000);
  // On a phone the band under this line says how old.
  const narrow = useNarrow();
  const lost = machine.heardAt && !narrow ? w.lost(age) : w.lostNever;
  const text = machine.link === 'live' ? w.live : machine.link === 'connecting' ? w.connecting : lost;
  return (
    <span class={`freshness ${machine.link}`} data-link={machine.link}>
      <span aria-hidden="true" class="dot" />
      <span>{text}</span>
      <span class="hidden-words" role="status">{machine.link === 'lost' ? w.lostNever : machine.link === 'live' ? w.live : ''}</span>
    </span>
  );
}
