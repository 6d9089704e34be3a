// Whether the window is as narrow as a phone.
import { useEffect, useState } from 'preact/hooks';

const query = window.matchMedia('(max-width: 640px)');

export function useNarrow(): boolean {
  const [is, set] = useState(query.matches);
  useEffect(() => {
    const hear = () => set(query.matches);
    query.addEventListener('change', hear);
    return () => query.removeEventListener('change', hear);
  }, []);
  return is;
}
