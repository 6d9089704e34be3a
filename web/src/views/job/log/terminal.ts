// What a terminal would show of one line: colours stay, carriage returns write over what was there,
// all other escapes are dropped. Nothing of this becomes HTML.
import Anser from 'anser';

export interface Style {
  // "r, g, b" as the program meant it; null: as all text.
  fg: string | null;
  bg: string | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
}
export interface Run {
  text: string;
  style: Style | null;
}

const kTab = 8;
// A line is written over at most so often before it is looked at; older ones cannot be seen.
const kOversMost = 64;
// Escapes other than colours: CSI that do not end with m or K, OSC, DCS and the like, two-byte ones.
const kOther = /\x1b\[[0-?]*[ -/]*[@-JL-ln-~]|\x1b[\]PX^_][\s\S]*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-Z\\`-~]|\x1b$/g;
const kBadSgr = /\x1b\[[^m@-~]*[^0-9;:m@-~][^m@-~]*m/g;
// Control characters but for tab, backspace, carriage return and escape; and marks that turn the
// direction of writing round, which are shown as what they are: something odd.
const kControls = /[\x00-\x07\x0a-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/g;
const kTurns = /[\u202a-\u202e\u2066-\u2069]/g;

function cleaned(text: string): string {
  return text.replace(kOther, '').replace(kBadSgr, '').replace(kControls, '').replace(kTurns, '\ufffd');
}
function styleOf(entry: Anser.AnserJsonEntry): Style | null {
  const has = (name: Anser.DecorationName) => entry.decorations.includes(name);
  let fg = entry.fg || null;
  let bg = entry.bg || null;
  if (has('reverse')) [fg, bg] = [bg ?? 'ground', fg ?? 'text'];
  if (!fg && !bg && entry.decorations.length === 0) return null;
  return { fg, bg, bold: has('bold'), dim: has('dim') || has('hidden'), italic: has('italic'), underline: has('underline'), strike: has('strikethrough') };
}
function coloured(text: string): Run[] {
  const plain = text.replace(/\x1b\[[0-9;]*K/g, '');
  if (!plain.includes('\x1b')) return plain === '' ? [] : [{ text: plain, style: null }];
  return Anser.ansiToJson(plain, { json: true, remove_empty: true }).map((one) => ({ text: one.content.replace(/\x1b/g, ''), style: styleOf(one) })).filter((one) => one.text !== '');
}

interface Cell {
  text: string;
  style: Style | null;
}
function cellsOf(text: string): Cell[] {
  const cells: Cell[] = [];
  let at = 0;
  for (const run of coloured(text)) {
    for (const mark of run.text) {
      if (mark === '\b') at = Math.max(0, at - 1);
      else {
        cells[at] = { text: mark, style: run.style };
        at += 1;
      }
    }
  }
  return cells;
}
function runsOf(cells: Cell[]): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < cells.length; i += 1) {
    const { text, style } = cells[i] ?? { text: ' ', style: null };
    const last = runs[runs.length - 1];
    if (last && last.style === style) last.text += text;
    else runs.push({ text, style });
  }
  return runs;
}

// From the last writing back to the first: what an earlier one wrote is seen only behind its end.
function overwritten(text: string): Run[] {
  const overs = text.split('\r').filter((one) => one !== '');
  let shown: Cell[] = [];
  for (const over of overs.slice(-kOversMost).reverse()) {
    const cells = cellsOf(over);
    for (let i = shown.length; i < cells.length; i += 1) shown[i] = cells[i] as Cell;
    // The rest of the line was erased then: nothing older is to be seen.
    if (/\x1b\[0?K/.test(over) || /\x1b\[2K/.test(over)) break;
  }
  shown = Array.from(shown, (cell) => cell ?? { text: ' ', style: null });
  return runsOf(shown);
}

function tabbed(runs: Run[]): Run[] {
  if (!runs.some((run) => run.text.includes('\t'))) return runs;
  let at = 0;
  return runs.map((run) => {
    let text = '';
    for (const mark of run.text) {
      const add = mark === '\t' ? ' '.repeat(kTab - (at % kTab)) : mark;
      text += add;
      at += add.length;
    }
    return { ...run, text };
  });
}

export function runsOfLine(raw: string): Run[] {
  // Most lines have nothing of all this.
  if (!/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(raw)) return raw === '' ? [] : [{ text: raw, style: null }];
  const text = cleaned(raw.endsWith('\r') && !raw.slice(0, -1).includes('\r') ? raw.slice(0, -1) : raw);
  if (text.includes('\r')) return tabbed(overwritten(text));
  if (text.includes('\b')) return tabbed(runsOf(cellsOf(text)));
  return tabbed(coloured(text));
}
export function plainOf(raw: string): string {
  return runsOfLine(raw).map((run) => run.text).join('');
}
