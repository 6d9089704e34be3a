// Rows of one height out of the lines of a window. Without wrapping a line is a row; with it a line
// is cut into rows of so many columns, by us, so that every row's place is known without drawing it.
import type { LogWindow } from './window';
import { type Run, plainOf, runsOfLine } from './terminal';

// Two columns in a terminal: Chinese, Japanese, Korean, most pictures.
function isWide(code: number): boolean {
  return code >= 0x1100 && (code <= 0x115f || (code >= 0x2e80 && code <= 0xa4cf) || (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) || (code >= 0x20000 && code <= 0x3fffd));
}
function columnsOf(mark: string): number {
  return isWide(mark.codePointAt(0) ?? 0) ? 2 : 1;
}

// The runs of each row of a line.
export function cut(runs: Run[], columns: number): Run[][] {
  const rows: Run[][] = [];
  let row: Run[] = [];
  let used = 0;
  for (const run of runs) {
    let text = '';
    for (const mark of run.text) {
      const width = columnsOf(mark);
      if (used + width > columns) {
        if (text) row.push({ ...run, text });
        rows.push(row);
        row = [];
        text = '';
        used = 0;
      }
      text += mark;
      used += width;
    }
    if (text) row.push({ ...run, text });
  }
  rows.push(row);
  return rows;
}

function rowsOfLine(window: LogWindow, line: number, columns: number): number {
  const raw = window.raw(line);
  let plain = true;
  for (let i = 0; i < raw.length && plain; i += 1) plain = (raw[i] as number) >= 0x20 && (raw[i] as number) < 0x7f;
  if (plain) return Math.max(1, Math.ceil(raw.length / columns));
  return cut([{ text: plainOf(window.text(line)), style: null }], columns).length;
}

export class Rows {
  // The first row of each line; null: a line is a row.
  private firsts: Uint32Array | null = null;
  readonly count: number;

  constructor(
    private readonly window: LogWindow,
    private readonly columns: number | null,
  ) {
    if (columns === null) {
      this.count = window.lines;
      return;
    }
    this.firsts = new Uint32Array(window.lines + 1);
    let rows = 0;
    for (let line = 0; line < window.lines; line += 1) {
      this.firsts[line] = rows;
      rows += rowsOfLine(window, line, columns);
    }
    this.firsts[window.lines] = rows;
    this.count = rows;
  }
  rowOf(line: number): number {
    return this.firsts ? (this.firsts[line] ?? 0) : line;
  }
  lineOf(row: number): number {
    if (!this.firsts) return row;
    let low = 0;
    let high = this.window.lines - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.firsts[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  // What stands in a row, and of which line it is.
  at(row: number): { line: number; first: boolean; runs: Run[] } {
    const line = this.lineOf(row);
    const runs = runsOfLine(this.window.text(line));
    if (this.columns === null) return { line, first: true, runs };
    const part = row - this.rowOf(line);
    return { line, first: part === 0, runs: cut(runs, this.columns)[part] ?? [] };
  }
}

// Cuts runs where the text that is looked for stands.
export function marked(runs: Run[], text: string): (Run & { hit: boolean })[] {
  if (text === '') return runs.map((run) => ({ ...run, hit: false }));
  const whole = runs.map((run) => run.text).join('').toLowerCase();
  const wanted = text.toLowerCase();
  const cuts: number[] = [];
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length)) cuts.push(at, at + wanted.length);
  if (cuts.length === 0) return runs.map((run) => ({ ...run, hit: false }));
  const out: (Run & { hit: boolean })[] = [];
  let begin = 0;
  for (const run of runs) {
    const end = begin + run.text.length;
    const inside = [begin, ...cuts.filter((at) => at > begin && at < end), end];
    for (let i = 0; i + 1 < inside.length; i += 1) {
      const from = inside[i] as number;
      const hit = cuts.filter((at) => at <= from).length % 2 === 1;
      out.push({ ...run, text: run.text.slice(from - begin, (inside[i + 1] as number) - begin), hit });
    }
    begin = end;
  }
  return out;
}
