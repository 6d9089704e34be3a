// Builds the page: a copy of web/ in PLACE, with its packages, by Vite; then the source MADE that
// holds its files (embed_page.mjs). CMake runs it (cmake/page.cmake), one at a time in a checkout.
//
//     build_page.mjs WEB PLACE MADE
//
// Packages are fetched again only if the lock file has changed, the page is built only if its
// sources have. Where packages cannot be had, the source has no files: the daemon is worth having
// without its page. A page that does not compile is an error.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { embed } from './embed_page.mjs';

const [web, place, made] = process.argv.slice(2).map((name) => path.resolve(name));
const BUILT = 'dist';
// What the page is not made of: packages, results, stamps.
const LEFT_OUT = new Set(['node_modules', BUILT, 'coverage', 'test-results', '.vite']);
// What the page says of the API is checked against this file, which it knows as ../docs/….
const API = 'docs/openapi.json';
const root = path.dirname(web);

const directories = [];
const files = [];
function list(directory) {
  directories.push(directory);
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const name = path.join(directory, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) list(name);
    if (entry.isFile()) files.push(name);
  }
}
list(web);
files.sort();
const inputs = [...files, path.join(root, API)].filter((name) => fs.existsSync(name));

function digest(names) {
  const sum = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const name of names) {
    sum.update(`\0${path.relative(root, name)}\0`).update(fs.readFileSync(name));
  }
  return sum.digest('hex');
}

// A stamp says for what something was made.
const stampFile = (what) => path.join(place, `.${what}`);
function isStamped(what, value) {
  const file = stampFile(what);
  return fs.existsSync(file) && fs.readFileSync(file, 'utf8') === value;
}

function npm(...words) {
  const log = path.join(place, 'npm.log');
  const out = fs.openSync(log, 'w');
  // A make around us must not reach into npm, nor its colours into the log.
  const env = { ...process.env, GPUSCHED_PAGE_OUT: path.join(place, BUILT), NO_COLOR: '1', CI: '1' };
  delete env.MAKEFLAGS;
  const done = spawnSync('npm', words, { cwd: place, env, stdio: ['ignore', out, out] });
  fs.closeSync(out);
  return { good: done.status === 0, log };
}

function stop(log) {
  console.error(fs.readFileSync(log, 'utf8').split('\n').slice(-40).join('\n'));
  console.error(`The page of web/ does not build; all that npm said: ${log}`);
  process.exit(1);
}

function writeIfNew(file, text) {
  if (fs.existsSync(file) && fs.readFileSync(file, 'utf8') === text) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function copySources() {
  fs.mkdirSync(place, { recursive: true });
  for (const name of fs.readdirSync(place)) {
    if (name !== 'node_modules') fs.rmSync(path.join(place, name), { recursive: true });
  }
  for (const name of inputs) {
    const target = path.join(name.startsWith(web + path.sep) ? place : path.dirname(place),
                             path.relative(name.startsWith(web + path.sep) ? web : root, name));
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(name, target);
  }
}

// False: packages cannot be had.
function build(sources) {
  if (isStamped('built', sources)) return true;
  const packages = digest(['package.json', 'package-lock.json'].map((name) => path.join(web, name)));
  const kept = path.join(place, 'node_modules', '.gpusched');
  copySources();
  if (!fs.existsSync(kept) || fs.readFileSync(kept, 'utf8') !== packages) {
    // Nothing that a package brings runs while it is fetched.
    const { good, log } = npm('ci', '--ignore-scripts', '--no-audit', '--no-fund',
                              '--fetch-retries=1');
    // That the two files do not fit together is no matter of networks.
    if (!good && fs.readFileSync(log, 'utf8').includes('code EUSAGE')) stop(log);
    if (!good) return false;
    fs.writeFileSync(kept, packages);
  }
  const { good, log } = npm('run', 'build');
  if (!good) stop(log);
  fs.writeFileSync(stampFile('built'), sources);
  return true;
}

// Directories as well: their times change when a file comes or goes.
const escaped = (name) => name.replaceAll(' ', '\\ ');
fs.mkdirSync(path.dirname(made), { recursive: true });
fs.writeFileSync(`${made}.d`, `${escaped(made)}: ${[...inputs, ...directories].map(escaped).join(' ')}\n`);

if (build(digest(inputs))) {
  writeIfNew(made, embed(path.join(place, BUILT)));
  fs.rmSync(`${made}.missing`, { force: true });
} else {
  console.log(`The page is left out: its packages cannot be had (${place}/npm.log). ` +
              'Configure again to try again; docs/guide/page.md says what it needs.');
  writeIfNew(made, embed());
  fs.writeFileSync(`${made}.missing`, '');
}
