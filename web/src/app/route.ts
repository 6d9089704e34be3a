// Where in the page one is: the part of the address behind #, so that the daemon serves one file.
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  // "job/7" is ["job", "7"].
  path: string[];
  query: URLSearchParams;
}

// An address may be cut anywhere, or made by somebody else.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}
export function hrefOf(path: string, query: Record<string, string | number | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) words.set(name, String(value));
  }
  const text = words.toString();
  return `#/${path}${text ? `?${text}` : ''}`;
}
export function go(href: string, replace = false): void {
  if (replace) {
    history.replaceState(null, '', href);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = href.slice(1);
  }
}
export function useRoute(): Route {
  const [route, set] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const hear = () => set(readRoute(location.hash));
    window.addEventListener('hashchange', hear);
    return () => window.removeEventListener('hashchange', hear);
  }, []);
  return route;
}
