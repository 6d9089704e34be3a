// The time, and a new drawing whenever it has moved by `every`. Pages in the background rest.
import { useEffect, useState } from 'preact/hooks';

export function useNow(every = 1000): number {
  const [now, set] = useState(Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => !document.hidden && set(Date.now()), every);
    return () => window.clearInterval(timer);
  }, [every]);
  return now;
}
