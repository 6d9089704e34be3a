// The files of a directory as a C++ source: compressed, with what a browser has to be told of them
// (src/page/page_file.h). The same files make the same source.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

function listed(directory, below = '') {
  const found = [];
  for (const entry of fs.readdirSync(path.join(directory, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) found.push(...listed(directory, name));
    // Maps are for those who have the sources.
    if (entry.isFile() && !name.endsWith('.map')) found.push(name);
  }
  return found.sort();
}

function array(name, bytes) {
  const rows = [];
  for (let at = 0; at < bytes.length; at += 24) {
    rows.push(`    ${[...bytes.subarray(at, at + 24)].join(',')},`);
  }
  return `constexpr unsigned char ${name}[] = {\n${rows.join('\n')}\n};\n`;
}

// Without a directory: a page without files.
export function embed(directory) {
  const arrays = [];
  const rows = [];
  for (const [index, name] of (directory === undefined ? [] : listed(directory)).entries()) {
    const type = TYPES[path.extname(name)];
    if (type === undefined) throw new Error(`${name}: its type is not in tools/embed_page.mjs`);
    if (!/^[\w./-]+$/.test(name)) throw new Error(`${name}: letters, digits, dot, dash and _ only`);
    const plain = fs.readFileSync(path.join(directory, name));
    const tag = createHash('sha256').update(plain).digest('hex').slice(0, 16);
    arrays.push(array(`k${index}`, zlib.gzipSync(plain, { level: 9 })));
    rows.push(`      {"${name}", "${type}", "W/\\"${tag}\\"", k${index}, ${plain.length}},`);
  }
  const values = arrays.length === 0 ? '' : `namespace {\n${arrays.join('\n')}}  // namespace\n\n`;
  const list = arrays.length === 0
    ? '  return {};'
    : `  static constexpr PageFile kFiles[] = {\n${rows.join('\n')}\n  };\n  return kFiles;`;
  return `// Made by tools/embed_page.mjs of what web/ was built to.
#include "page/page_file.h"

namespace gpusched {

${values}std::span<const PageFile> page_files() {
${list}
}

}  // namespace gpusched
`;
}
