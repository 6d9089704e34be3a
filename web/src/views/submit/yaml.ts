// As much of YAML as job files need: keys with texts, lists and maps, in a line or indented, quotes,
// comments, blocks of lines. What it does not understand is refused with its line, not guessed.
export type Node = string | Node[] | { [key: string]: Node };

export class YamlFault extends Error {
  constructor(readonly line: number) {
    super(`line ${line}`);
  }
}
interface Line {
  number: number;
  indent: number;
  text: string;
  raw: string;
}

function withoutComment(text: string): string {
  let quote = '';
  for (let i = 0; i < text.length; i += 1) {
    const mark = text[i] as string;
    if (quote) {
      if (mark === '\\' && quote === '"') i += 1;
      else if (mark === quote) quote = '';
    } else if ((mark === '"' || mark === "'") && (i === 0 || /[\s[{,:]/.test(text[i - 1] as string))) quote = mark;
    else if (mark === '#' && (i === 0 || /\s/.test(text[i - 1] as string))) return text.slice(0, i);
  }
  return text;
}

// Values in a line: text, [a, b], {a: b}.
class Flow {
  private at = 0;
  constructor(
    private readonly text: string,
    private readonly line: number,
  ) {}
  whole(): Node {
    const node = this.node('');
    this.space();
    if (this.at < this.text.length) throw new YamlFault(this.line);
    return node;
  }
  private space(): void {
    while (/\s/.test(this.text[this.at] ?? 'x')) this.at += 1;
  }
  private take(mark: string): boolean {
    this.space();
    if (this.text[this.at] !== mark) return false;
    this.at += 1;
    return true;
  }
  private node(ends: string): Node {
    this.space();
    const mark = this.text[this.at];
    if (mark === '[') return this.list();
    if (mark === '{') return this.map();
    if (mark === '"' || mark === "'") return this.quoted(mark);
    // Anchors, tags and the like mean something that is not read here.
    if (mark !== undefined && '&*!|>%@`'.includes(mark)) throw new YamlFault(this.line);
    let end = this.at;
    while (end < this.text.length && !(ends.includes(this.text[end] as string) && ends !== '')) end += 1;
    const text = this.text.slice(this.at, end).trim();
    this.at = end;
    return text;
  }
  private quoted(quote: string): string {
    let out = '';
    for (this.at += 1; this.at < this.text.length; this.at += 1) {
      const mark = this.text[this.at] as string;
      if (mark === quote && quote === "'" && this.text[this.at + 1] === "'") {
        out += "'";
        this.at += 1;
      } else if (mark === quote) {
        this.at += 1;
        return out;
      } else if (mark === '\\' && quote === '"') {
        this.at += 1;
        const next = this.text[this.at] ?? '';
        out += { n: '\n', t: '\t', r: '\r', '0': '\0' }[next] ?? next;
      } else out += mark;
    }
    throw new YamlFault(this.line);
  }
  private list(): Node[] {
    const list: Node[] = [];
    this.at += 1;
    while (!this.take(']')) {
      list.push(this.node(',]'));
      if (!this.take(',') && this.text[this.at] !== ']') throw new YamlFault(this.line);
    }
    return list;
  }
  private map(): { [key: string]: Node } {
    const map: { [key: string]: Node } = {};
    this.at += 1;
    while (!this.take('}')) {
      const key = this.node(':,}');
      if (typeof key !== 'string' || !this.take(':')) throw new YamlFault(this.line);
      map[key] = this.node(',}');
      if (!this.take(',') && this.text[this.at] !== '}') throw new YamlFault(this.line);
    }
    return map;
  }
}

class Reader {
  private at = 0;
  constructor(private readonly lines: Line[]) {}
  private get line(): Line | undefined {
    return this.lines[this.at];
  }
  block(indent: number): Node {
    const first = this.line;
    if (!first) return '';
    return /^-(\s|$)/.test(first.text) ? this.list(indent) : this.map(indent);
  }
  get done(): boolean {
    return this.at >= this.lines.length;
  }
  get number(): number {
    return this.line?.number ?? 0;
  }
  private map(indent: number): Node {
    const map: { [key: string]: Node } = {};
    for (let line = this.line; line && line.indent === indent; line = this.line) {
      const found = /^(?:"([^"]*)"|'([^']*)'|([^\s:'"[{&*!][^:]*?))\s*:(?:\s+(.*))?$/.exec(line.text);
      if (!found) throw new YamlFault(line.number);
      const key = found[1] ?? found[2] ?? (found[3] as string);
      if (key in map) throw new YamlFault(line.number);
      map[key] = this.value(found[4] ?? '', line);
    }
    return map;
  }
  private list(indent: number): Node[] {
    const list: Node[] = [];
    for (let line = this.line; line && line.indent === indent && /^-(\s|$)/.test(line.text); line = this.line) list.push(this.value(line.text.slice(1).trim(), line));
    return list;
  }
  private value(text: string, line: Line): Node {
    this.at += 1;
    const style = /^([|>])[+-]?$/.exec(text);
    if (style) return this.lineBlock(line.indent, style[1] === '>');
    if (text !== '') return new Flow(text, line.number).whole();
    const next = this.line;
    if (next && (next.indent > line.indent || (next.indent === line.indent && /^-(\s|$)/.test(next.text) && !line.text.startsWith('-')))) return this.block(next.indent);
    return '';
  }
  private lineBlock(indent: number, folded: boolean): string {
    const taken: Line[] = [];
    for (let line = this.line; line && line.indent > indent; line = this.line) {
      taken.push(line);
      this.at += 1;
    }
    const least = Math.min(...taken.map((line) => line.indent));
    return taken.map((line) => line.raw.slice(least)).join(folded ? ' ' : '\n');
  }
}

export function parseYaml(text: string): Node {
  const lines: Line[] = [];
  text.split(/\r?\n/).forEach((raw, i) => {
    const bare = withoutComment(raw).trimEnd();
    if (/^\t/.test(bare)) throw new YamlFault(i + 1);
    if (bare.trim() === '' || (lines.length === 0 && bare === '---')) return;
    lines.push({ number: i + 1, indent: bare.length - bare.trimStart().length, text: bare.trim(), raw: raw.trimEnd() });
  });
  const first = lines[0];
  if (!first) return {};
  const reader = new Reader(lines);
  const node = reader.block(first.indent);
  if (!reader.done) throw new YamlFault(reader.number);
  return node;
}
