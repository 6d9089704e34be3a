// The stream of events over one connection, begun again whenever it breaks. A line that is cut
// without a word (a laptop that slept, a network that is gone) looks like a quiet one: the daemon
// says that it is alive every 15 s, and who hears nothing for longer begins anew.
import { type ServerEvent, sseReader } from './sse';

export type Kind = 'job' | 'gone' | 'group' | 'cards' | 'alarms' | 'bye';
export interface StreamNews {
  kind: Kind | 'open' | 'lost' | 'alive';
  data: unknown;
}
export interface Around {
  open: (query: Record<string, string>, signal: AbortSignal) => Promise<Response>;
  now: () => number;
}
export interface Connection {
  // Something suggests that the line may be dead, or that a lost one is back.
  look: () => void;
  // An answer did not come: the line is dead unless it spoke just now.
  doubt: () => void;
}

const kTopics = 'jobs,cards,alarms';
const kKinds = new Set<string>(['job', 'gone', 'group', 'cards', 'alarms', 'bye']);
const kBeat = 15_000;
const kSilence = 2.5 * kBeat;
const kLook = 5_000;
const kJustNow = 3_000;
const kFirstWait = 500;
const kLongestWait = 5_000;
const kLonger = 1.5;
// After a longer gap the whole is asked for anyway, and every row in between would be too much.
const kCatchUp = 600_000;

export function connect(tell: (news: StreamNews) => void, signal: AbortSignal, around: Around): Connection {
  let wait = kFirstWait;
  let last = '';
  let heardAt = around.now();
  let lookedAt = around.now();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let line: AbortController | null = null;

  const take = (one: ServerEvent) => {
    if (one.id) last = one.id.split(',')[0] ?? '';
    if (!kKinds.has(one.event)) return;
    let data: unknown;
    try {
      data = JSON.parse(one.data);
    } catch {
      return;
    }
    tell({ kind: one.event as Kind, data });
  };
  const later = () => {
    if (signal.aborted) return;
    timer = setTimeout(begin, wait);
    wait = Math.min(wait * kLonger, kLongestWait);
  };
  const read = async (mine: AbortController) => {
    const query: Record<string, string> = { topics: kTopics };
    if (last && around.now() - heardAt < kCatchUp) query['after'] = last;
    const answer = await around.open(query, mine.signal);
    if (!answer.body) throw new Error('no stream');
    wait = kFirstWait;
    heardAt = around.now();
    tell({ kind: 'open', data: null });
    const reader = answer.body.getReader();
    const text = new TextDecoder();
    const events = sseReader(take);
    for (;;) {
      const { done, value } = await reader.read();
      if (done || mine.signal.aborted) return;
      heardAt = around.now();
      tell({ kind: 'alive', data: null });
      events(text.decode(value, { stream: true }));
    }
  };
  function begin(): void {
    timer = null;
    if (signal.aborted) return;
    const mine = new AbortController();
    line = mine;
    const over = () => {
      // A line that was given up already has a successor.
      if (line !== mine) return;
      line = null;
      mine.abort();
      if (signal.aborted) return;
      tell({ kind: 'lost', data: null });
      later();
    };
    read(mine).then(over, over);
  }
  const anew = () => {
    if (timer !== null) clearTimeout(timer);
    const old = line;
    line = null;
    old?.abort();
    if (old) tell({ kind: 'lost', data: null });
    wait = kFirstWait;
    begin();
  };
  const unlessHeard = (within: number) => {
    if (!signal.aborted && (timer !== null || around.now() - heardAt > within)) anew();
  };
  const look = () => unlessHeard(kBeat + 2_000);
  const doubt = () => {
    // One that is being tried again is left to its time.
    if (timer === null) unlessHeard(kJustNow);
  };
  const watch = setInterval(() => {
    const now = around.now();
    const slept = now - lookedAt > 4 * kLook;
    lookedAt = now;
    if (slept) look();
    else if (line && now - heardAt > kSilence) anew();
  }, kLook);
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(watch);
      if (timer !== null) clearTimeout(timer);
      line?.abort();
      line = null;
    },
    { once: true },
  );
  begin();
  return { look, doubt };
}
