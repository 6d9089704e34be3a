// What the page takes from a browser, as far as its words and figures need it: tests run without
// one. Imported before everything else.
import { webcrypto } from 'node:crypto';

const kept = new Map<string, string>();
const storage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
  removeItem: (name: string) => void kept.delete(name),
};
const target = new EventTarget();
const place = {
  localStorage: storage,
  navigator: { language: 'en' },
  document: Object.assign(new EventTarget(), { documentElement: { lang: 'en', dataset: {} } }),
  location: { hash: '' },
  crypto: webcrypto,  // Node.js 18 has it under this name alone.
  history: {
    replaceState: (_: unknown, __: string, href: string) => {
      (globalThis as unknown as { location: { hash: string } }).location.hash = href;
    },
  },
  window: Object.assign(target, { setTimeout, clearTimeout, setInterval, clearInterval, requestAnimationFrame: (then: () => void) => setTimeout(then, 0) }),
};
for (const [name, value] of Object.entries(place)) {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
