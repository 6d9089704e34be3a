// From match to match: first in what is loaded, then the daemon looks through the rest.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LogFeed } from './feed';
import { searchLog } from './source';
import { plainOf } from './terminal';

export type SearchSays = 'searching' | 'noneAfter' | 'noneBefore' | 'onlyLoaded' | null;

function hasText(feed: LogFeed, line: number, wanted: string): boolean {
  return plainOf(feed.window.text(line)).toLowerCase().includes(wanted);
}
function inWindow(feed: LogFeed, wanted: string, from: number, by: 1 | -1): number | null {
  for (let line = from; line >= 0 && line < feed.window.lines; line += by) if (hasText(feed, line, wanted)) return line;
  return null;
}
// The last match before `end`. The daemon searches forwards, so all before it are gone through.
async function lastBefore(feed: LogFeed, text: string, end: number, signal: AbortSignal): Promise<number | null | undefined> {
  let last: number | null = null;
  for (let from = 0; from < end; ) {
    const found = await searchLog(feed.name, text, from, 1000, signal);
    if (!found) return undefined;
    for (const match of found.matches) if ((match.at ?? match.offset) < end) last = match.at ?? match.offset;
    if (found.next === null || found.next <= from) break;
    from = found.next;
  }
  return last;
}
async function firstFrom(feed: LogFeed, text: string, begin: number, signal: AbortSignal): Promise<number | null | undefined> {
  for (let from = begin; ; ) {
    const found = await searchLog(feed.name, text, from, 1, signal);
    if (!found) return undefined;
    const match = found.matches[0];
    if (match) return match.at ?? match.offset;
    if (found.next === null || found.next <= from) return null;
    from = found.next;
  }
}

export function useSearch(feed: LogFeed, goTo: (offset: number) => void) {
  const [text, setText] = useState('');
  const [says, setSays] = useState<SearchSays>(null);
  const at = useRef<number | null>(null);
  const asking = useRef<AbortController | null>(null);
  useEffect(() => {
    at.current = null;
    return () => asking.current?.abort();
  }, [feed]);
  const step = async (by: 1 | -1, wanted = text) => {
    if (wanted === '') return;
    asking.current?.abort();
    const end = new AbortController();
    asking.current = end;
    setSays(null);
    const log = feed.window;
    const here = at.current !== null && log.has(at.current) ? log.lineAt(at.current) + by : by > 0 ? 0 : log.lines - 1;
    const line = inWindow(feed, wanted.toLowerCase(), here, by);
    if (line !== null) {
      at.current = log.offset(line);
      goTo(at.current);
      return;
    }
    setSays('searching');
    try {
      const offset = by > 0 ? await firstFrom(feed, wanted, log.to, end.signal) : await lastBefore(feed, wanted, log.from, end.signal);
      if (end.signal.aborted) return;
      if (typeof offset === 'number') {
        at.current = offset;
        goTo(offset);
        setSays(null);
      } else {
        setSays(offset === undefined ? 'onlyLoaded' : by > 0 ? 'noneAfter' : 'noneBefore');
      }
    } catch {
      if (!end.signal.aborted) setSays('onlyLoaded');
    }
  };
  const search = (wanted: string) => {
    setText(wanted);
    setSays(null);
    at.current = null;
  };
  return { text, search, says, step };
}
