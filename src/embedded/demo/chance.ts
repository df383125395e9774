import { v7 as uuid } from 'uuid';

/** A source of chance that gives the same again for the same seed. */
export type Chance = ReturnType<typeof createChance>;

/** Creates a generator of numbers (mulberry32) and what is drawn with it. */
export function createChance(seed: number) {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }
  const whole = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    /** A whole number of a range, its ends included. */
    whole,
    isTrue: (share: number): boolean => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!,
    /** An id as of a moment. */
    idAt: (at: Date): string =>
      uuid({ msecs: at.getTime(), random: Uint8Array.from({ length: 16 }, () => whole(0, 255)) }),
    text: (length: number): string =>
      Array.from(
        { length },
        () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[whole(0, 61)],
      ).join(''),
  };
}
