// One stream of events for all tabs of a browser, which has only six connections to a host: the
// tab that holds the lock listens, and tells the others.
import { send } from './client';
import { type Connection, type StreamNews, connect } from './connection';
export type { StreamNews } from './connection';

const kLock = 'gpusched-events';
// The listening tab passes on every sign of life, so that one that was frozen is noticed.
const kLeaderSilent = 50_000;
const kLookEvery = 10_000;
const kAliveEvery = 5_000;

type Said = StreamNews | { kind: 'hello'; data: null };

function listen(tell: (news: StreamNews) => void, signal: AbortSignal): Connection {
  const open = (query: Record<string, string>, stop: AbortSignal) => send('GET', '/v1/events', undefined, { query, signal: stop });
  return connect(tell, signal, { open, now: () => Date.now() });
}

// Tells `then` whenever the page may have been away: shown again, thawed, back on the network.
function whenAwake(then: () => void, signal: AbortSignal): void {
  const shown = () => {
    if (document.visibilityState === 'visible') then();
  };
  document.addEventListener('visibilitychange', shown, { signal });
  window.addEventListener('online', then, { signal });
  window.addEventListener('pageshow', then, { signal });
  document.addEventListener('resume', then, { signal });
}

// What a tab that comes later has to know.
class Known {
  private readonly last = new Map<string, StreamNews>();
  take(news: StreamNews): void {
    if (news.kind === 'open' || news.kind === 'lost') this.last.set('link', news);
    else if (news.kind === 'cards' || news.kind === 'alarms') this.last.set(news.kind, news);
  }
  all(): StreamNews[] {
    return [...this.last.values()];
  }
}

export interface Following {
  end: () => void;
  // The daemon did not answer something else.
  doubt: () => void;
}
// Tells `hear` everything, whichever tab listens.
export function follow(hear: (news: StreamNews) => void): Following {
  const end = new AbortController();
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') {
    const line = listen(hear, end.signal);
    whenAwake(line.look, end.signal);
    return { end: () => end.abort(), doubt: line.doubt };
  }
  const channel = new BroadcastChannel(kLock);
  const post = (said: Said) => {
    if (!end.signal.aborted) channel.postMessage(said);
  };
  let leading: { known: Known; line: Connection } | null = null;
  let heardAt = Date.now();

  channel.onmessage = (message: MessageEvent<Said>) => {
    const said = message.data;
    if (said.kind === 'hello') {
      for (const news of leading?.known.all() ?? []) post(news);
      return;
    }
    heardAt = Date.now();
    if (!leading) hear(said);
  };
  let asked = new AbortController();
  const lead = async (steal: boolean): Promise<void> => {
    // Who takes the lock does not stand in the queue for it as well.
    asked.abort();
    const mine = new AbortController();
    asked = mine;
    const stop = () => mine.abort();
    end.signal.addEventListener('abort', stop, { once: true });
    let mineLed: typeof leading = null;
    const work = () =>
      new Promise<void>((done) => {
        const known = new Known();
        let aliveAt = 0;
        mine.signal.addEventListener('abort', () => done(), { once: true });
        const tell = (news: StreamNews) => {
          known.take(news);
          hear(news);
          // Signs of life come with every piece; the others need one now and then.
          if (news.kind === 'alive' && Date.now() - aliveAt < kAliveEvery) return;
          aliveAt = Date.now();
          post(news);
        };
        mineLed = { known, line: listen(tell, mine.signal) };
        leading = mineLed;
      });
    try {
      await navigator.locks.request(kLock, steal ? { steal } : { signal: mine.signal }, work);
    } catch {
      // Another tab took it while this one was frozen, or the page ends.
    }
    mine.abort();
    end.signal.removeEventListener('abort', stop);
    if (mineLed === null || leading !== mineLed) return;
    leading = null;
    if (end.signal.aborted) return;
    heardAt = Date.now();
    post({ kind: 'hello', data: null });
    await lead(false);
  };
  const look = () => {
    if (leading) leading.line.look();
    else if (document.visibilityState === 'visible' && Date.now() - heardAt > kLeaderSilent) {
      heardAt = Date.now();
      void lead(true);
    }
  };
  whenAwake(() => {
    if (!leading) post({ kind: 'hello', data: null });
    look();
  }, end.signal);
  const timer = window.setInterval(look, kLookEvery);
  post({ kind: 'hello', data: null });
  void lead(false);
  return {
    end: () => {
      window.clearInterval(timer);
      end.abort();
      channel.close();
    },
    doubt: () => leading?.line.doubt(),
  };
}
