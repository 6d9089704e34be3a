// Pointer, wheel and fingers over the picture, in pixels of it.
import { type RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Hands {
  moveBy: (pixels: number) => void;
  zoomBy: (factor: number, x: number) => void;
  point: (x: number, y: number) => void;
  leave: () => void;
  // A click or a touch that moved nothing.
  tap: (x: number, y: number) => void;
}
const kStill = 5;

export function usePan(place: RefObject<HTMLElement>, given: Hands): void {
  const hands = useRef(given);
  hands.current = given;
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const end = new AbortController();
    const fingers = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    const where = (event: PointerEvent | WheelEvent) => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const isLink = (event: Event) => event.target instanceof Element && event.target.closest('.piece-card.pinned') !== null;
    const on = <K extends keyof HTMLElementEventMap>(kind: K, then: (event: HTMLElementEventMap[K]) => void, passive = true) => element.addEventListener(kind, then, { signal: end.signal, passive });
    on('pointerdown', (event) => {
      if (event.button !== 0 || isLink(event)) return;
      fingers.set(event.pointerId, where(event));
      if (fingers.size === 1) travelled = 0;
    });
    on('pointermove', (event) => {
      const now = where(event);
      const before = fingers.get(event.pointerId);
      if (!before) {
        if (event.pointerType === 'mouse' && !isLink(event)) hands.current.point(now.x, now.y);
        return;
      }
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      fingers.set(event.pointerId, now);
      if (other) {
        const apart = Math.abs(now.x - other.x);
        const was = Math.abs(before.x - other.x);
        travelled = kStill + 1;
        if (apart > 8 && was > 8) hands.current.zoomBy(was / apart, (now.x + other.x) / 2);
        return;
      }
      travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (travelled <= kStill) return;
      // Captured only once it is a drag, so that a click stays a click.
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      hands.current.leave();
      hands.current.moveBy(now.x - before.x);
    });
    const up = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId) || fingers.size > 0) return;
      if (event.type === 'pointerup' && travelled <= kStill) {
        const at = where(event);
        hands.current.tap(at.x, at.y);
      }
    };
    on('pointerup', up);
    on('pointercancel', up);
    on('pointerleave', () => hands.current.leave());
    on(
      'wheel',
      (event) => {
        const wide = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
        if (event.ctrlKey || event.metaKey) hands.current.zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), where(event).x);
        else if (wide) hands.current.moveBy(-(event.deltaX || event.deltaY));
        else return;
        event.preventDefault();
      },
      false,
    );
    return () => end.abort();
  }, []);
}
