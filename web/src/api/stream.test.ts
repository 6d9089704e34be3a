import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamNews } from './connection';

// Just enough of a browser for several tabs that share locks and a channel.
interface Waiting { work: () => Promise<unknown>; done: (why?: unknown) => void; signal?: AbortSignal | undefined; stolen: (why: unknown) => void }
class Locks {
  holder: Waiting | null = null;
  queue: Waiting[] = [];
  request(_: string, options: { steal?: boolean; signal?: AbortSignal }, work: () => Promise<unknown>): Promise<unknown> {
    return new Promise((done, fail) => {
      const one: Waiting = { work, done, signal: options.signal, stolen: fail };
      options.signal?.addEventListener('abort', () => {
        if (!this.queue.includes(one)) return;
        this.queue = this.queue.filter((other) => other !== one);
        fail(new Error('aborted'));
      });
      if (options.steal) {
        this.holder?.stolen(new Error('stolen'));
        this.holder = null;
        this.queue.unshift(one);
      } else this.queue.push(one);
      this.next();
    });
  }
  private next(): void {
    const one = this.queue.shift();
    if (!one || this.holder) {
      if (one) this.queue.unshift(one);
      return;
    }
    this.holder = one;
    void one.work().then(() => {
      one.done();
      if (this.holder !== one) return;
      this.holder = null;
      this.next();
    });
  }
}
let channels: Channel[] = [];
class Channel {
  onmessage: ((message: { data: unknown }) => void) | null = null;
  frozen = false;
  constructor(readonly name: string) {
    channels.push(this);
  }
  postMessage(data: unknown): void {
    if (this.frozen) return;
    for (const other of channels) if (other !== this && !other.frozen) other.onmessage?.({ data });
  }
  close(): void {
    channels = channels.filter((one) => one !== this);
  }
}
const lines: { write: (text: string) => void; signal: AbortSignal }[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  channels = [];
  lines.length = 0;
  const there = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  vi.stubGlobal('document', there);
  vi.stubGlobal('window', Object.assign(new EventTarget(), { setInterval, clearInterval, setTimeout, clearTimeout }));
  vi.stubGlobal('navigator', { locks: new Locks() });
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('fetch', (_: string, { signal }: { signal: AbortSignal }) => {
    const code = new TextEncoder();
    return Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          start(to) {
            lines.push({ signal, write: (text) => to.enqueue(code.encode(text)) });
            signal.addEventListener('abort', () => to.error(new Error('aborted')));
          },
        }),
      ),
    );
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
async function tab() {
  const { follow } = await import('./stream');
  const heard: string[] = [];
  const following = follow((news: StreamNews) => {
    if (news.kind !== 'alive') heard.push(news.kind);
  });
  await vi.advanceTimersByTimeAsync(1);
  return { heard, ...following };
}
const open = () => lines.filter((line) => !line.signal.aborted).length;

describe('several tabs', () => {
  it('share one stream, and one that comes later is told how things are', async () => {
    const first = await tab();
    lines[0]?.write('event: alarms\ndata: {"alarms":[]}\n\n');
    await vi.advanceTimersByTimeAsync(1);
    const second = await tab();
    expect(second.heard).toEqual(['open', 'alarms']);
    lines[0]?.write('event: job\ndata: {"id":1}\n\n');
    await vi.advanceTimersByTimeAsync(1);
    expect(first.heard.at(-1)).toBe('job');
    expect(second.heard.at(-1)).toBe('job');
    expect(open()).toBe(1);
    first.end();
    second.end();
  });
  it('go on when the one that listened is closed', async () => {
    const first = await tab();
    const second = await tab();
    first.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(open()).toBe(1);
    lines[1]?.write('event: gone\ndata: {"id":1}\n\n');
    await vi.advanceTimersByTimeAsync(1);
    expect(second.heard.at(-1)).toBe('gone');
    second.end();
  });
  it('take over from one that was frozen, which follows when it thaws', async () => {
    const first = await tab();
    const second = await tab();
    const frozen = channels[0];
    if (frozen) frozen.frozen = true;
    // The daemon goes on speaking to the frozen one; nobody else hears it.
    for (let beat = 0; beat < 8; beat += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      for (const line of lines) if (!line.signal.aborted) line.write(': alive\n\n');
    }
    expect(lines[0]?.signal.aborted).toBe(true);
    expect(open()).toBe(1);
    if (frozen) frozen.frozen = false;
    lines.at(-1)?.write('event: job\ndata: {"id":5}\n\n');
    await vi.advanceTimersByTimeAsync(1);
    expect(second.heard.at(-1)).toBe('job');
    expect(first.heard.at(-1)).toBe('job');
    first.end();
    second.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(open()).toBe(0);
  });
});
