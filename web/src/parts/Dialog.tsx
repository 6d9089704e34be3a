// A window over the page: keeps the focus inside, ends with Escape, gives the focus back.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  close: () => void;
  // A click beside it does not close it: what it shows cannot be had again.
  stays?: boolean;
  children: ComponentChildren;
}
export function Dialog({ title, close, stays, children }: Props) {
  const place = useRef<HTMLDialogElement>(null);
  // Text that is selected beyond the edge ends in a click beside the window, too.
  const pressedBeside = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    place.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={place} aria-label={title} onClose={close} onPointerDown={(event) => { pressedBeside.current = event.target === place.current; }} onClick={(event) => event.target === place.current && pressedBeside.current && !stays && close()}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}
