// A window over the page: keeps the focus inside, ends with Escape, gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={place} aria-label={title} onClose={close} onClick={(event) => event.target === place.current && close()}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
