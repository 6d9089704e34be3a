// What just came of an action, said once and read aloud. Bad news stays until it is closed.
import { useEffect, useState } from 'preact/hooks';
import { defineWords, useWords } from '../words/words';
import './notices.css';

interface Said {
  id: number;
  text: string;
  bad: boolean;
}
const words = defineWords({ close: 'Close', place: 'Messages' }, { close: '关闭', place: '消息' });

let said: Said[] = [];
let next = 1;
let draw: () => void = () => undefined;
const kGoodStays = 6000;

function drop(id: number): void {
  said = said.filter((one) => one.id !== id);
  draw();
}
export function say(text: string, bad = false): void {
  const id = next;
  next += 1;
  said = [...said.slice(-4), { id, text, bad }];
  if (!bad) window.setTimeout(() => drop(id), kGoodStays);
  draw();
}
export function sayFault(fault: unknown): void {
  say(fault instanceof Error ? fault.message : String(fault), true);
}

export function Notices() {
  const w = useWords(words);
  const [, set] = useState(0);
  useEffect(() => {
    draw = () => set((count) => count + 1);
    return () => {
      draw = () => undefined;
    };
  }, []);
  return (
    <section class="notices" aria-label={w.place} aria-live="polite">
      {said.map((one) => (
        <div key={one.id} class={one.bad ? 'notice bad-news' : 'notice'} role={one.bad ? 'alert' : undefined}>
          <span class="name">{one.text}</span>
          <button class="plain" onClick={() => drop(one.id)} aria-label={w.close}>✕</button>
        </div>
      ))}
    </section>
  );
}
