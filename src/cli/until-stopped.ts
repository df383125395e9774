/**
 * Resolves on the first SIGINT or SIGTERM, so that the caller can stop in order. A second one ends the
 * process at once.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve();
      });
    }
  });
}
