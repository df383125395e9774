export type Pauses = Readonly<{
  firstMs: number;
  longestMs: number;
  /** How long one try may take; nobody else tries meanwhile. */
  tryMs: number;
}>;

export type Holds = ReturnType<typeof createHolds>;

/**
 * Remembers what is not to be tried for a while. Something that failed is held for a pause that doubles with
 * each failure; then one caller may try it, and a success ends the hold. In memory, of one process.
 *
 * @param now milliseconds of a clock that never goes back
 */
export function createHolds({ firstMs, longestMs, tryMs }: Pauses, now = () => performance.now()) {
  const holds = new Map<string, { failures: number; failedAt: number; until: number }>();

  return {
    /** How long, in ms, until all of the keys may be tried. 0: now, by this caller, who tells how it ended. */
    waitMs(keys: readonly string[]): number {
      const found = keys.flatMap((key) => holds.get(key) ?? []);
      const wait = Math.max(0, ...found.map(({ until }) => until - now()));
      if (wait === 0) for (const hold of found) hold.until = now() + tryMs;
      return wait;
    },

    /** @param startedAt when the failed try began: what was under way at an earlier failure adds nothing. */
    failed(key: string, startedAt: number): void {
      const { failures, failedAt } = holds.get(key) ?? { failures: 0, failedAt: Number.NEGATIVE_INFINITY };
      if (startedAt < failedAt) return;
      const pause = Math.min(firstMs * 2 ** failures, longestMs);
      holds.set(key, { failures: failures + 1, failedAt: now(), until: now() + pause });
    },

    /** @returns whether the key had been held. */
    succeeded: (key: string): boolean => holds.delete(key),

    isHeld: (key: string): boolean => holds.has(key),
  };
}
