// One stream of events for all tabs of a browser, which has only six connections to a host: the
// tab that holds the lock listens, and tells the others.
export interface StreamNews {
  kind: 'job' | 'gone' | 'group' | 'cards' | 'alarms' | 'open' | 'lost' | 'bye';
  data: unknown;
}

const kLock = 'gpusched-events';
const kTopics = 'jobs,cards,alarms';
const kKinds = ['job', 'gone', 'group', 'cards', 'alarms', 'bye'] as const;

// Listens until `signal` ends it, and again after each break: 1, 2, 4 … 15 s later.
function listen(tell: (news: StreamNews) => void, signal: AbortSignal): void {
  let wait = 1000;
  let last = '';
  const begin = () => {
    if (signal.aborted) return;
    const source = new EventSource(`/v1/events?topics=${kTopics}${last ? `&after=${last}` : ''}`);
    const stop = () => source.close();
    signal.addEventListener('abort', stop, { once: true });
    const again = () => {
      source.close();
      signal.removeEventListener('abort', stop);
      tell({ kind: 'lost', data: null });
      window.setTimeout(begin, wait);
      wait = Math.min(wait * 2, 15_000);
    };
    source.onopen = () => {
      wait = 1000;
      tell({ kind: 'open', data: null });
    };
    source.onerror = again;
    for (const kind of kKinds) {
      source.addEventListener(kind, (event) => {
        if (event.lastEventId) last = event.lastEventId.split(',')[0] ?? '';
        tell({ kind, data: JSON.parse(event.data as string) as unknown });
        if (kind === 'bye') again();
      });
    }
  };
  begin();
}

// Tells `hear` everything, whichever tab listens. Returns what ends it.
export function follow(hear: (news: StreamNews) => void): () => void {
  const end = new AbortController();
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') {
    listen(hear, end.signal);
    return () => end.abort();
  }
  const channel = new BroadcastChannel(kLock);
  channel.onmessage = (message: MessageEvent<StreamNews>) => hear(message.data);
  const lead = () =>
    new Promise<void>((done) => {
      end.signal.addEventListener('abort', () => done(), { once: true });
      listen((news) => {
        hear(news);
        channel.postMessage(news);
      }, end.signal);
    });
  navigator.locks.request(kLock, { signal: end.signal }, lead).catch(() => undefined);
  return () => {
    end.abort();
    channel.close();
  };
}
