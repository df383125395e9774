export type Pauses = Readonly<{
  initialMs: number;
  maxMs: number;
  /** How long a half-open circuit waits for its trial to end before it admits another. */
  halfOpenTimeoutMs: number;
}>;

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/**
 * Creates a circuit breaker with one circuit for each key. A failure opens it for a pause that doubles with each
 * further failure. Then the circuit is half-open and admits one attempt, the trial, whose success closes it. The state
 * is in memory, for one process.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export function createCircuitBreaker(
  { initialMs, maxMs, halfOpenTimeoutMs }: Pauses,
  now = () => performance.now(),
) {
  const open = new Map<string, { failures: number; failedAt: number; until: number }>();

  return {
    /** Tells whether an attempt would be admitted now. */
    admits: (key: string): boolean => (open.get(key)?.until ?? 0) <= now(),

    /**
     * Admits an attempt at all of the keys if their circuits let one through, and else tells how long to wait.
     *
     * An admitted attempt takes the half-open trial of each circuit that was open, so the caller makes it and reports
     * its end. The result is one number because a refused caller needs nothing but the time.
     *
     * @returns 0 when the attempt is admitted, else the ms until one may be.
     */
    tryAcquire(keys: readonly string[]): number {
      const circuits = keys.flatMap((key) => open.get(key) ?? []);
      const wait = Math.max(0, ...circuits.map(({ until }) => until - now()));
      if (wait === 0) for (const circuit of circuits) circuit.until = now() + halfOpenTimeoutMs;
      return wait;
    },

    /** @param startedAt When the failed attempt began; one that began before an earlier failure adds nothing. */
    recordFailure(key: string, startedAt: number): void {
      const { failures, failedAt } = open.get(key) ?? { failures: 0, failedAt: Number.NEGATIVE_INFINITY };
      if (startedAt < failedAt) return;
      const pause = Math.min(initialMs * 2 ** failures, maxMs);
      open.set(key, { failures: failures + 1, failedAt: now(), until: now() + pause });
    },

    /** @returns whether the circuit had been open. */
    recordSuccess: (key: string): boolean => open.delete(key),

    /** Tells whether the circuit is open or half-open. */
    isOpen: (key: string): boolean => open.has(key),
  };
}
