// Words of a shell, both ways: what is shown can be pasted into one.

const kPlain = /^[A-Za-z0-9_\-+=./:,@%]+$/;

export function quoted(word: string): string {
  return kPlain.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

// Cuts a line as a shell does: quotes and backslashes, no expansion. A text: what is wrong with it.
export function splitWords(line: string): string[] | string {
  const words: string[] = [];
  let word = '';
  let begun = false;
  let quote = '';
  for (let i = 0; i < line.length; i += 1) {
    const mark = line[i] as string;
    if (quote === "'") {
      if (mark === "'") quote = '';
      else word += mark;
    } else if (quote === '"') {
      if (mark === '"') quote = '';
      else if (mark === '\\' && '"\\$`\n'.includes(line[i + 1] ?? 'x')) {
        i += 1;
        if (line[i] !== '\n') word += line[i];
      } else word += mark;
    } else if (mark === "'" || mark === '"') {
      quote = mark;
      begun = true;
    } else if (mark === '\\') {
      i += 1;
      if (i >= line.length) return 'backslash';
      if (line[i] !== '\n') {
        word += line[i];
        begun = true;
      }
    } else if (/\s/.test(mark)) {
      if (begun) words.push(word);
      word = '';
      begun = false;
    } else {
      word += mark;
      begun = true;
    }
  }
  if (quote) return 'quote';
  if (begun) words.push(word);
  return words;
}

// Whether a line means something to a shell beyond its words. Braces are placeholders of sweeps.
export function needsShell(line: string): boolean {
  let bare = '';
  let quote = '';
  for (let i = 0; i < line.length; i += 1) {
    const mark = line[i] as string;
    if (quote === "'") {
      if (mark === "'") quote = '';
    } else if (quote === '"') {
      if (mark === '"') quote = '';
      else if (mark === '\\') i += 1;
      else if (mark === '$' || mark === '`') return true;
    } else if (mark === '\\') i += 1;
    else if (mark === "'" || mark === '"') quote = mark;
    else bare += mark;
  }
  return /[|&;<>()$`*?~#\n]/.test(bare.trim()) || /^\s*[A-Za-z_]\w*=/.test(bare) || /^\s*(cd|source|export|\.)\s/.test(bare);
}
