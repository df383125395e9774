import { useSyncExternalStore } from 'react';

const TICK_MS = 30_000;

const subscribe = (onTick: () => void) => {
  const timer = setInterval(onTick, TICK_MS);
  return () => clearInterval(timer);
};

/** Returns what is read off the clock, such as a day, and renders again within 30 s of a change. */
export const useClock = <Value extends string | boolean>(read: () => Value): Value =>
  useSyncExternalStore(subscribe, read);
