// Says across the page that what is shown is old, and how old.
import { useEffect, useState } from 'preact/hooks';
import { isStale, useMachine } from '../api/machine';
import { duration, moment } from '../words/figures';
import { useWords } from '../words/words';
import { words } from './words';

// Drawn again each second only while it matters.
export function useStale(): boolean {
  const machine = useMachine();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => tick((count) => count + 1), 5000);
    return () => window.clearInterval(timer);
  }, []);
  return isStale(machine);
}

export function StaleBand() {
  const w = useWords(words);
  const machine = useMachine();
  const stale = useStale();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!stale) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [stale]);
  if (!stale) return machine.refused ? <p class="band name">{w.refused(machine.refused)}</p> : null;
  return (
    <p class="band">
      <strong>{w.staleSince(duration((now - machine.heardAt) / 1000))}</strong> {w.staleWhy(moment(machine.heardAt))}
    </p>
  );
}
