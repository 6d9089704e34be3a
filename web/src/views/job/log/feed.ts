// Brings the wanted part of a log into a window: the end, the beginning, a place in between, what
// comes before or after; and follows it while it is written. A broken connection goes on at the
// byte where it broke.
import { Refused } from '../../../api/client';
import { LogWindow } from './window';
import { type LogName, followFrom, kPiece, lastPiece, pieceAt } from './source';

// Further behind than this nobody reads through all of it to catch up.
const kCatchUpMost = 1 << 20;
const kWaitMost = 10_000;
const kDrawEvery = 80;
const kSilentMost = 15_000;

export class LogFeed {
  readonly window = new LogWindow();
  size = 0;
  fault: string | null = null;
  loading = false;
  // Nothing was written, or the job has not begun.
  empty: string | null = null;
  following = false;
  // The connection of what is followed is lost for now.
  lost = false;
  // All that the attempt wrote is there.
  over = false;
  private asking: AbortController | null = null;
  private followed: AbortController | null = null;
  private drawing = 0;
  private moreAt = 0;

  constructor(
    readonly name: LogName,
    private readonly draw: () => void,
  ) {}

  close(): void {
    this.asking?.abort();
    this.followed?.abort();
    window.clearTimeout(this.drawing);
  }
  // However much is written, it is drawn some times a second.
  private changed(): void {
    if (this.drawing) return;
    this.drawing = window.setTimeout(() => {
      this.drawing = 0;
      this.draw();
    }, kDrawEvery);
  }

  private async load(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    this.asking?.abort();
    const end = new AbortController();
    this.asking = end;
    this.loading = true;
    this.changed();
    let done = false;
    try {
      await work(end.signal);
      done = !end.signal.aborted;
      this.fault = null;
      this.empty = null;
    } catch (fault) {
      if (end.signal.aborted) return false;
      const message = fault instanceof Error ? fault.message : String(fault);
      if (fault instanceof Refused && (fault.status === 404 || fault.status === 409) && this.window.size === 0) this.empty = message;
      else this.fault = message;
    }
    if (this.asking === end) {
      this.asking = null;
      this.loading = false;
      this.changed();
    }
    return done;
  }

  toEnd(): Promise<boolean> {
    return this.load(async (signal) => {
      const near = this.window.size > 0 && this.size - this.window.to < kCatchUpMost && this.size >= this.window.to;
      const piece = near ? await pieceAt(this.name, this.window.to, kCatchUpMost, signal) : await lastPiece(this.name, kPiece, signal);
      if (!near || piece.size - this.window.to > kCatchUpMost) {
        const last = near ? await lastPiece(this.name, kPiece, signal) : piece;
        this.window.clear();
        this.window.append(last.bytes, last.offset);
        this.size = last.size;
        return;
      }
      this.window.append(piece.bytes, piece.offset);
      this.size = Math.max(piece.size, this.window.to);
    });
  }
  // The lines around this byte.
  toOffset(offset: number): Promise<boolean> {
    return this.load(async (signal) => {
      if (this.window.has(offset) && this.window.has(Math.min(offset + 4096, this.size - 1))) return;
      const piece = await pieceAt(this.name, Math.max(0, offset - kPiece / 2), kPiece, signal);
      this.window.clear();
      this.window.append(piece.bytes, piece.offset);
      this.size = piece.size;
    });
  }
  async before(): Promise<void> {
    const { from, size } = this.window;
    if (this.asking || from === 0 || size === 0) return;
    await this.load(async (signal) => {
      const begin = Math.max(0, from - kPiece);
      const piece = await pieceAt(this.name, begin, from - begin, signal);
      // Behind a hole there is nothing that belongs in front of it.
      if (piece.offset < from) this.window.prepend(piece.bytes, piece.offset);
      this.size = Math.max(this.size, piece.size);
    });
  }
  async after(): Promise<void> {
    if (this.asking || this.followed || this.window.size === 0) return;
    // At the end of what is written, now and then.
    const atEnd = this.window.to >= this.size;
    if (atEnd && (this.over || Date.now() - this.moreAt < 2000)) return;
    this.moreAt = Date.now();
    await this.load(async (signal) => {
      const piece = await pieceAt(this.name, this.window.to, kPiece, signal);
      this.window.append(piece.bytes, piece.offset);
      this.size = Math.max(this.size, piece.size);
    });
  }

  follow(on: boolean): void {
    if (on === this.following) return;
    this.following = on;
    this.followed?.abort();
    this.followed = null;
    this.lost = false;
    if (on) void this.keepFollowing();
    this.changed();
  }
  private async keepFollowing(): Promise<void> {
    const end = new AbortController();
    this.followed = end;
    let wait = 500;
    while (!end.signal.aborted) {
      try {
        if (!(await this.toEnd()) && this.empty === null) throw new Error(this.fault ?? 'lost');
        if (end.signal.aborted) return;
        const take = (bytes: Uint8Array, offset: number) => {
          wait = 500;
          this.lost = false;
          this.window.append(bytes, offset);
          this.size = Math.max(this.size, this.window.to);
          this.changed();
        };
        if (this.empty === null) {
          this.lost = false;
          const turn = new AbortController();
          const stop = () => turn.abort();
          end.signal.addEventListener('abort', stop);
          const watch = window.setInterval(() => void this.look(turn), kSilentMost);
          try {
            await followFrom(this.name, this.window.to, take, turn.signal);
          } finally {
            window.clearInterval(watch);
            end.signal.removeEventListener('abort', stop);
          }
          this.over = true;
          this.following = false;
          this.followed = null;
          this.changed();
          return;
        }
      } catch {
        if (end.signal.aborted) return;
        this.lost = true;
        this.changed();
      }
      await new Promise((done) => window.setTimeout(done, wait));
      wait = Math.min(wait * 2, kWaitMost);
    }
  }
  // A connection may be dead without a word, behind a tunnel or a proxy: whoever hears nothing asks
  // whether something was written, and then begins again where it stopped.
  private async look(turn: AbortController): Promise<void> {
    const before = this.window.to;
    try {
      const piece = await pieceAt(this.name, before, 1, turn.signal);
      if (this.window.to === before && piece.size > before) turn.abort();
    } catch {
      if (turn.signal.aborted) return;
      this.lost = true;
      this.changed();
      turn.abort();
    }
  }
  // The daemon is back: what was open before may hang.
  again(): void {
    if (!this.following) return;
    this.follow(false);
    this.follow(true);
  }
}
