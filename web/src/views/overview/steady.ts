// A list that does not move under the pointer or the focus: while somebody is in it, rows keep their
// places, and what changed is counted.
import { useRef, useState } from 'preact/hooks';

// How many rows came, went or changed their place.
export function changesBetween(shown: readonly string[], now: readonly string[]): number {
  const before = new Set(shown);
  const after = new Set(now);
  const came = now.filter((key) => !before.has(key)).length;
  const went = shown.filter((key) => !after.has(key)).length;
  const stayed = shown.filter((key) => after.has(key));
  const stay = now.filter((key) => before.has(key));
  // Moved: those that are not in the longest run of rows whose order is the same.
  return came + went + stay.length - longestSame(stayed, stay);
}
function longestSame(before: readonly string[], after: readonly string[]): number {
  const places = new Map(before.map((key, index) => [key, index]));
  const tails: number[] = [];
  for (const key of after) {
    const place = places.get(key) ?? 0;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    tails[low] = place;
  }
  return tails.length;
}

export interface Steady<T> {
  rows: T[];
  changes: number;
  show: () => void;
  // For the element that holds the rows.
  hold: { onPointerEnter: (event: PointerEvent) => void; onPointerLeave: (event: PointerEvent) => void; onFocusIn: () => void; onFocusOut: (event: FocusEvent) => void };
}

export function useSteady<T>(rows: T[], keyOf: (one: T) => string): Steady<T> {
  const [pointed, point] = useState(false);
  const [focused, focus] = useState(false);
  const shown = useRef<T[]>(rows);
  const [, draw] = useState(0);
  if (!(pointed || focused) || shown.current.length === 0) shown.current = rows;
  const still = shown.current !== rows;
  const changes = still ? changesBetween(shown.current.map(keyOf), rows.map(keyOf)) : 0;
  if (still && changes === 0) shown.current = rows;
  return {
    rows: shown.current,
    changes,
    show: () => {
      shown.current = rows;
      draw((count) => count + 1);
    },
    hold: {
      onPointerEnter: (event) => event.pointerType === 'mouse' && point(true),
      onPointerLeave: (event) => event.pointerType === 'mouse' && point(false),
      onFocusIn: () => focus(true),
      onFocusOut: (event) => {
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget instanceof Node && event.currentTarget.contains(to))) focus(false);
      },
    },
  };
}
