import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type StreamNews, connect } from './connection';

// A daemon of which every connection is a stream that the test writes to.
function daemon() {
  const lines: { query: Record<string, string>; write: (text: string) => void; end: () => void; signal: AbortSignal }[] = [];
  let down = false;
  const open = (query: Record<string, string>, signal: AbortSignal) => {
    if (down) return Promise.reject(new Error('down'));
    const code = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start(to) {
        lines.push({ query, signal, write: (text) => to.enqueue(code.encode(text)), end: () => to.close() });
        signal.addEventListener('abort', () => to.error(new Error('aborted')));
      },
    });
    return Promise.resolve(new Response(body));
  };
  return { lines, open, fall: (is: boolean) => (down = is) };
}
const settle = () => vi.advanceTimersByTimeAsync(1);

describe('the stream of events', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function begin() {
    const there = daemon();
    const heard: StreamNews[] = [];
    const end = new AbortController();
    const line = connect((news) => heard.push(news), end.signal, { open: there.open, now: () => Date.now() });
    return { there, heard, end, line, kinds: () => heard.map((one) => one.kind).filter((kind) => kind !== 'alive') };
  }

  it('goes on after the last number when it breaks', async () => {
    const { there, kinds, end } = begin();
    await settle();
    there.lines[0]?.write('event: job\nid: 41\ndata: {"id":1}\n\n');
    await settle();
    there.lines[0]?.end();
    await vi.advanceTimersByTimeAsync(600);
    expect(kinds()).toEqual(['open', 'job', 'lost', 'open']);
    expect(there.lines[1]?.query).toEqual({ topics: 'jobs,cards,alarms', after: '41' });
    end.abort();
  });
  it('takes a line that says nothing, not even that it is alive, for dead', async () => {
    const { there, kinds, end } = begin();
    await settle();
    for (let beat = 0; beat < 8; beat += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      there.lines[0]?.write(': alive\n\n');
    }
    await settle();
    expect(there.lines.length).toBe(1);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(there.lines.length).toBe(2);
    expect(there.lines[0]?.signal.aborted).toBe(true);
    expect(kinds()).toEqual(['open', 'lost', 'open']);
    end.abort();
  });
  it('looks at once when the laptop was opened again', async () => {
    const { there, line, end } = begin();
    await settle();
    vi.setSystemTime(Date.now() + 3_600_000);
    line.look();
    await settle();
    expect(there.lines.length).toBe(2);
    // After so long the rows in between are not asked for: the whole is.
    expect(there.lines[1]?.query).toEqual({ topics: 'jobs,cards,alarms' });
    end.abort();
  });
  it('does not trust a line on which an answer did not come', async () => {
    const { there, line, end } = begin();
    await settle();
    line.doubt();
    expect(there.lines.length).toBe(1);
    await vi.advanceTimersByTimeAsync(4000);
    line.doubt();
    await settle();
    expect(there.lines.length).toBe(2);
    end.abort();
  });
  it('waits longer and longer for a daemon that is down, and no longer when the network is back', async () => {
    const { there, line, kinds, end } = begin();
    await settle();
    there.fall(true);
    there.lines[0]?.end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kinds().filter((kind) => kind === 'lost').length).toBeLessThan(20);
    there.fall(false);
    line.look();
    await settle();
    expect(kinds().at(-1)).toBe('open');
    end.abort();
  });
  it('passes over what it does not know and what is no JSON', async () => {
    const { there, kinds, end } = begin();
    await settle();
    there.lines[0]?.write('event: news\ndata: {}\n\nevent: job\ndata: {\n\nevent: gone\ndata: {"id":3}\n\n');
    await settle();
    expect(kinds()).toEqual(['open', 'gone']);
    end.abort();
  });
});
