// A long list of rows of one height, of which only those in sight are in the document. Works inside
// the page's own scrolling.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props<T> {
  rows: T[];
  height: number;
  label: string;
  head?: ComponentChildren;
  row: (one: T, index: number) => ComponentChildren;
  keyOf: (one: T) => string | number;
  // Near the end of what is there: more may be asked for.
  nearEnd?: () => void;
}
const kSpare = 12;

export function VirtualList<T>({ rows, height, label, head, row, keyOf, nearEnd }: Props<T>) {
  const place = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ from: 0, to: 60 });
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = place.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / height) - kSpare);
      const to = Math.ceil((window.innerHeight - top) / height) + kSpare;
      setSeen((last) => (last.from === from && last.to === to ? last : { from, to }));
      if (nearEnd && to >= rows.length) nearEnd();
    };
    const later = () => {
      if (!frame) frame = window.requestAnimationFrame(look);
    };
    look();
    window.addEventListener('scroll', later, { passive: true });
    window.addEventListener('resize', later);
    return () => {
      window.cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [rows.length, height, nearEnd]);
  const shown = rows.slice(seen.from, seen.to);
  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + (head ? 1 : 0)} class="virtual">
      {head}
      <div ref={place} role="rowgroup" style={{ height: `${rows.length * height}px`, position: 'relative' }}>
        {shown.map((one, index) => (
          <div key={keyOf(one)} role="row" aria-rowindex={seen.from + index + (head ? 2 : 1)} class="virtual-row" style={{ position: 'absolute', top: `${(seen.from + index) * height}px`, height: `${height}px`, left: 0, right: 0 }}>
            {row(one, seen.from + index)}
          </div>
        ))}
      </div>
    </div>
  );
}
