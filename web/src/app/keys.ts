// Keys that work everywhere. A view adds its own while it is shown; `?` lists all that hold now.
import { useEffect } from 'preact/hooks';

export interface Key {
  // As KeyboardEvent.key has it; "g o" is g, then o.
  key: string;
  what: string;
  act: () => void;
}

const held: Key[][] = [];
let before = '';
let beforeAt = 0;

function isTyping(place: EventTarget | null): boolean {
  return place instanceof HTMLElement && (place.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(place.tagName));
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  // A dialog has keys of its own.
  if (document.querySelector('dialog[open]') && event.key !== '?') return;
  const after = Date.now() - beforeAt < 1000 && before ? `${before} ${event.key}` : '';
  before = event.key;
  beforeAt = Date.now();
  for (const keys of [...held].reverse()) {
    const found = keys.find((one) => one.key === after) ?? keys.find((one) => one.key === event.key);
    if (!found) continue;
    event.preventDefault();
    before = '';
    found.act();
    return;
  }
});

export function useKeys(keys: Key[]): void {
  useEffect(() => {
    held.push(keys);
    return () => {
      held.splice(held.indexOf(keys), 1);
    };
  });
}
export function keysNow(): Key[] {
  return held.flat();
}
