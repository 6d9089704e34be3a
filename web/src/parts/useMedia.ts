// Whether the window is as a media query says.
import { useEffect, useState } from 'preact/hooks';

export function useMedia(query: string): boolean {
  const [matches, set] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const hear = () => set(media.matches);
    hear();
    media.addEventListener('change', hear);
    return () => media.removeEventListener('change', hear);
  }, [query]);
  return matches;
}
