export type Pauses = Readonly<{
  firstMs: number;
  longestMs: number;
  /** How long a half-open circuit waits for its one attempt to end before it admits another. */
  tryMs: number;
}>;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Creates a circuit breaker with one circuit for each key. A failure opens it for a pause that doubles with each
 * further failure. Then the circuit is half-open and admits one attempt, whose success closes it. The state is in
 * memory, for one process.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export function createCircuitBreaker({ firstMs, longestMs, tryMs }: Pauses, now = () => performance.now()) {
  const open = new Map<string, { failures: number; failedAt: number; until: number }>();

  return {
    /** Returns the ms until an attempt at all of the keys is admitted. 0 admits the caller's, who reports its end. */
    waitMs(keys: readonly string[]): number {
      const circuits = keys.flatMap((key) => open.get(key) ?? []);
      const wait = Math.max(0, ...circuits.map(({ until }) => until - now()));
      if (wait === 0) for (const circuit of circuits) circuit.until = now() + tryMs;
      return wait;
    },

    /** @param startedAt When the failed attempt began; one that began before an earlier failure adds nothing. */
    recordFailure(key: string, startedAt: number): void {
      const { failures, failedAt } = open.get(key) ?? { failures: 0, failedAt: Number.NEGATIVE_INFINITY };
      if (startedAt < failedAt) return;
      const pause = Math.min(firstMs * 2 ** failures, longestMs);
      open.set(key, { failures: failures + 1, failedAt: now(), until: now() + pause });
    },

    /** @returns whether the circuit had been open. */
    recordSuccess: (key: string): boolean => open.delete(key),

    /** Tells whether the circuit is open or half-open. */
    isOpen: (key: string): boolean => open.has(key),
  };
}
