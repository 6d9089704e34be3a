// The part of a log that is in memory: bytes in a row, cut into lines. A log may have gigabytes;
// this has a few MiB of it, and forgets at one end what comes at the other.
export const kWindowMost = 4 << 20;
// Programs that never end a line get rows all the same. A line with carriage returns is one row
// that was written over, so it may be longer.
const kLineMost = 16 << 10;
const kOverwrittenMost = 1 << 20;
const kNewline = 10;
const kReturn = 13;

export class LogWindow {
  // Changes with everything that changes.
  version = 0;
  private bytes: Uint8Array = new Uint8Array(0);
  private length = 0;
  private starts: number[] = [];
  // Line breaks of the window before each line.
  private breaks: number[] = [];
  // Where bytes are missing in the middle, because the daemon has punched them out.
  private stretches: { index: number; offset: number }[] = [];
  // The number of the first line; null where nobody knows how many come before.
  private firstNumber: number | null = null;
  private decoder = new TextDecoder();

  constructor(private most = kWindowMost) {}

  get lines(): number {
    return this.starts.length;
  }
  get size(): number {
    return this.length;
  }
  get from(): number {
    return this.stretches[0]?.offset ?? 0;
  }
  get to(): number {
    return this.offsetOf(this.length);
  }

  clear(): void {
    this.bytes = new Uint8Array(0);
    this.length = 0;
    this.stretches = [];
    this.firstNumber = null;
    this.index();
  }

  // `offset`: where this stands in the log. What is there already is not taken twice.
  append(piece: Uint8Array, offset: number): void {
    if (this.length > 0 && offset < this.to) {
      const known = this.to - offset;
      if (known >= piece.length) return;
      return this.append(piece.subarray(known), this.to);
    }
    if (piece.length === 0) return;
    if (this.length === 0) {
      this.stretches = [{ index: 0, offset }];
      this.firstNumber = offset === 0 ? 1 : null;
    } else if (offset > this.to) {
      this.stretches.push({ index: this.length, offset });
      this.firstNumber = null;
    }
    const before = this.length;
    this.reserve(before + piece.length);
    this.bytes.set(piece, before);
    this.length += piece.length;
    this.scan(this.starts.length > 0 ? (this.starts[this.starts.length - 1] as number) : 0);
    if (this.length > this.most) this.forgetFront();
    this.version += 1;
  }

  prepend(piece: Uint8Array, offset: number): void {
    const end = offset + piece.length;
    if (this.length === 0) return this.append(piece, offset);
    if (end > this.from) return this.prepend(piece.subarray(0, Math.max(0, this.from - offset)), offset);
    if (piece.length === 0) return;
    const joined = new Uint8Array(piece.length + this.length);
    joined.set(piece);
    joined.set(this.bytes.subarray(0, this.length), piece.length);
    const moved = this.stretches.map((one) => ({ index: one.index + piece.length, offset: one.offset }));
    if (end === this.from) moved.shift();
    this.stretches = [{ index: 0, offset }, ...moved];
    this.bytes = joined;
    this.length = joined.length;
    this.firstNumber = offset === 0 && this.stretches.length === 1 ? 1 : null;
    this.index();
    if (this.length > this.most) this.forgetBack();
  }

  offset(line: number): number {
    return this.offsetOf(this.starts[line] ?? this.length);
  }
  // Of the line in which this byte stands; the nearest one if it is not there.
  lineAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offset(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  has(offset: number): boolean {
    return this.length > 0 && offset >= this.from && offset < this.to;
  }
  number(line: number): number | null {
    return this.firstNumber === null ? null : this.firstNumber + (this.breaks[line] ?? 0);
  }
  // The bytes of a line, without its break.
  raw(line: number): Uint8Array {
    const begin = this.starts[line] ?? this.length;
    let end = this.starts[line + 1] ?? this.length;
    if (end > begin && this.bytes[end - 1] === kNewline) end -= 1;
    return this.bytes.subarray(begin, end);
  }
  text(line: number): string {
    return this.decoder.decode(this.raw(line));
  }
  // All of it, for copying.
  all(): string {
    return this.decoder.decode(this.bytes.subarray(0, this.length));
  }

  private offsetOf(index: number): number {
    for (let i = this.stretches.length - 1; i >= 0; i -= 1) {
      const one = this.stretches[i] as { index: number; offset: number };
      if (index >= one.index) return one.offset + index - one.index;
    }
    return 0;
  }
  private reserve(wanted: number): void {
    if (wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, Math.min(this.bytes.length * 2, this.most + (1 << 20))));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
  private index(): void {
    this.starts = [];
    this.breaks = [];
    this.scan(0);
    this.version += 1;
  }
  // Finds lines from `begin` on, which is where a line begins; the last one known is looked at again.
  private scan(begin: number): void {
    let breaks = this.breaks[this.breaks.length - 1] ?? 0;
    this.starts.pop();
    this.breaks.pop();
    let start = begin;
    let returned = -1;
    const add = () => {
      this.starts.push(start);
      this.breaks.push(breaks);
    };
    for (let i = begin; i < this.length; i += 1) {
      const byte = this.bytes[i] as number;
      if (byte === kReturn) returned = i;
      if (byte === kNewline) {
        add();
        breaks += 1;
        start = i + 1;
      } else if (i - start >= (returned > start ? kOverwrittenMost : kLineMost) && (byte & 0xc0) !== 0x80) {
        add();
        start = i;
      }
    }
    if (start < this.length) add();
  }
  // Down to three quarters, so that this is not done for every piece; at the beginning of a line.
  private forgetFront(): void {
    const least = this.length - Math.floor(this.most * 0.75);
    const line = this.starts.findIndex((start) => start >= least);
    const cut = this.starts[line];
    if (line <= 0 || cut === undefined) return;
    const offset = this.offsetOf(cut);
    const number = this.number(line);
    this.bytes = this.bytes.slice(cut, this.length);
    this.length -= cut;
    this.stretches = [{ index: 0, offset }, ...this.stretches.filter((one) => one.index > cut).map((one) => ({ index: one.index - cut, offset: one.offset }))];
    this.firstNumber = number;
    this.index();
  }
  private forgetBack(): void {
    const most = Math.floor(this.most * 0.75);
    const cut = [...this.starts].reverse().find((start) => start <= most);
    if (!cut) return;
    this.length = cut;
    this.stretches = this.stretches.filter((one) => one.index < cut);
    this.index();
  }
}
