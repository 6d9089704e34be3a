// Styles of views that come when they are asked for first stay until the page is closed: a class
// that two files define looks different after another view was seen.
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const kRoot = fileURLToPath(new URL('..', import.meta.url));

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? filesUnder(join(folder, one.name)) : one.name.endsWith('.css') ? [join(folder, one.name)] : []));
}
// The rules of a style sheet, those within @media among them.
function rulesOf(css: string): { selectors: string[]; body: string }[] {
  const plain = css.replace(/\/\*[\s\S]*?\*\//g, '');
  return [...plain.matchAll(/([^{};]+)\{([^{}]*)\}/g)].map((found) => ({
    selectors: (found[1] as string).split(/,(?![^(]*\))/).map((one) => one.trim()),
    body: (found[2] as string).replace(/\s+/g, ' ').trim(),
  }));
}
// The class that a selector defines wherever it is: `.name`, not `.view .name` or `.name.open`.
function classOf(selector: string): string | null {
  return /^[a-z]*\.([\w-]+)(::?[a-z-]+)*$/.exec(selector)?.[1] ?? null;
}
// Class -> file -> what the file says of it.
function definitions(sheets: [string, string][]): Map<string, Map<string, string>> {
  const all = new Map<string, Map<string, string>>();
  for (const [file, css] of sheets) {
    for (const { selectors, body } of rulesOf(css)) {
      for (const name of new Set(selectors.map(classOf))) {
        if (name === null) continue;
        const byFile = all.get(name) ?? new Map<string, string>();
        byFile.set(file, `${byFile.get(file) ?? ''}${body} `);
        all.set(name, byFile);
      }
    }
  }
  return all;
}
function clashes(sheets: [string, string][]): string[] {
  return [...definitions(sheets)].filter(([, byFile]) => new Set(byFile.values()).size > 1).map(([name, byFile]) => `.${name}: ${[...byFile.keys()].join(', ')}`);
}

describe('a class', () => {
  it('clashes where two files say different things of it', () => {
    const other = '.a .b { top: 0 } .c.open { top: 1px }';
    expect(clashes([['1', '.b, .c { top: 2px }'], ['2', other]])).toEqual([]);
    expect(clashes([['1', '.b { top: 2px }'], ['2', '@media (width > 1px) { .d, .b { top: 3px } }']])).toEqual(['.b: 1, 2']);
    expect(clashes([['1', '.b { top: 2px }'], ['2', '.b { top: 2px }']])).toEqual([]);
  });
  it('is defined in one file', () => {
    const sheets = filesUnder(kRoot).map((file): [string, string] => [relative(kRoot, file), readFileSync(file, 'utf8')]);
    expect(sheets.length).toBeGreaterThan(10);
    expect(clashes(sheets)).toEqual([]);
  });
});
