// That a replay is under way, for how long, and the way out. The seconds are not read aloud.
import { useEffect, useState } from 'preact/hooks';
import { duration } from '../../words/figures';
import { useWords } from '../../words/words';
import { words } from './words';

export function Working({ since, cancel }: { since: number; cancel: () => void }) {
  const w = useWords(words);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <div class="panel row whatif-working">
      <progress aria-label={w.replay} />
      <span class="hidden-words">{w.working('')}</span>
      <span aria-hidden="true" class="number">{w.working(duration((now - since) / 1000))}</span>
      <button onClick={cancel}>{w.cancel}</button>
    </div>
  );
}
