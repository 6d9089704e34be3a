// A figure that explains itself: on hover, on focus and on a click it says in one sentence what it
// is and from when.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import './told.css';

interface Props {
  // One or two sentences.
  told: string;
  class?: string;
  // In a row of figures only the first is a stop of the Tab key; arrows go through the others.
  stop?: boolean;
  children: ComponentChildren;
}
const kCalm = 250;

export function Told({ told, class: more, stop = true, children }: Props) {
  const id = useId();
  const place = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const timer = useRef(0);
  const later = (shown: boolean, wait: number) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOpen(shown), wait);
  };
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open || !box.current || !place.current) return undefined;
    const at = place.current.getBoundingClientRect();
    const size = box.current.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.left, window.innerWidth - size.width - 8));
    const under = at.bottom + 6;
    const top = under + size.height > window.innerHeight - 8 ? Math.max(8, at.top - size.height - 6) : under;
    box.current.style.left = `${left}px`;
    box.current.style.top = `${top}px`;
    const away = () => setOpen(false);
    const key = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false);
    };
    window.addEventListener('scroll', away, { passive: true });
    document.addEventListener('keydown', key);
    return () => {
      window.removeEventListener('scroll', away);
      document.removeEventListener('keydown', key);
    };
  }, [open]);
  return (
    <>
      <button
        ref={place}
        type="button"
        class={`told ${more ?? ''}`}
        data-told=""
        tabIndex={stop ? 0 : -1}
        aria-describedby={open ? id : undefined}
        onPointerEnter={(event) => event.pointerType === 'mouse' && later(true, kCalm)}
        onPointerLeave={(event) => event.pointerType === 'mouse' && later(false, 80)}
        onFocus={() => place.current?.matches(':focus-visible') && setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => {
          window.clearTimeout(timer.current);
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && <span ref={box} id={id} role="tooltip" class="told-box name">{told}</span>}
    </>
  );
}

// Arrows go from figure to figure inside of one element.
export function throughFigures(event: KeyboardEvent): void {
  if (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') return;
  const here = event.currentTarget;
  if (!(here instanceof HTMLElement)) return;
  const all = [...here.querySelectorAll<HTMLElement>('[data-told], [data-stop]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  all[Math.min(all.length - 1, Math.max(0, at + (event.key === 'ArrowRight' ? 1 : -1)))]?.focus();
}
