import type { PressEvent } from 'react-aria-components';

/** Longest time between the presses of a double click, in milliseconds, and how far the pointer moves between them. */
const LONGEST_MS = 500;
const FARTHEST_PX = 8;

/**
 * Guards buttons that come under the pointer when another one is pressed: the second press of a double click on that
 * one is not meant for them.
 *
 * @returns what makes the handler of a button; `isFirst` for the one that moves others.
 */
export function createDoubleClickGuard() {
  let [until, x, y] = [0, 0, 0];
  return (press: () => void, isFirst = false) =>
    (event: PressEvent): void => {
      const { left, top } = event.target.getBoundingClientRect();
      const [atX, atY] = [left + event.x, top + event.y];
      const isNear = event.pointerType !== 'keyboard' && Math.hypot(atX - x, atY - y) < FARTHEST_PX;
      if (isNear && performance.now() < until) return;
      if (isFirst) [until, x, y] = [performance.now() + LONGEST_MS, atX, atY];
      press();
    };
}
