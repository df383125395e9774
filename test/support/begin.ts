/**
 * Begins what mostly waits before the test comes that is about it, so that the tests before it run meanwhile. A
 * failure is that of the test that awaits it.
 */
export function begin<T>(work: () => Promise<T>): Promise<T> {
  const begun = work();
  begun.catch(() => undefined);
  return begun;
}
