/**
 * Runs work with a signal that aborts after a time, or with the given signal when that aborts first.
 *
 * It has a timer of its own, since Node.js collects the inner signal of `AbortSignal.any([AbortSignal.timeout(…)])` as
 * garbage, and the bound with it.
 */
export async function withDeadline<Result>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (bounded: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timer = setTimeout(abort, ms);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Runs work, and settles as it does, or rejects as soon as the signal is aborted. Work is not begun with an aborted
 * signal, and its late result is ignored.
 */
export async function untilAborted<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  let abort: () => void;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort!);
  }
}
