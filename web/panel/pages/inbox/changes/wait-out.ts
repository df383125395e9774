/** When a refused call may be made again. */
type Waiting = Readonly<{
  /** Returns for how many seconds a refusal asks to wait; null: it is final. */
  pauseOf(refusal: unknown): number | null;
  /** Is told of each pause when it ends. */
  onPause(until: Date): void;
  /** Ends a pause at once, and lets no other begin; `call` then ends the rest. */
  signal?: AbortSignal;
}>;

/**
 * Makes a call again after each refusal that asks to wait.
 *
 * @throws the refusal that is final.
 */
export async function waitOut<Answer>(
  call: () => Promise<Answer>,
  { pauseOf, onPause, signal }: Waiting,
): Promise<Answer> {
  for (;;) {
    try {
      return await call();
    } catch (refusal) {
      const pauseS = pauseOf(refusal);
      if (pauseS === null) throw refusal;
      if (signal?.aborted) continue;
      onPause(new Date(Date.now() + pauseS * 1000));
      await new Promise((resolve) => {
        setTimeout(resolve, pauseS * 1000);
        signal?.addEventListener('abort', resolve, { once: true });
      });
    }
  }
}
