/**
 * Joins calls with equal arguments while one of them is in flight: they get its result, and cause no further work.
 *
 * @param call Takes arguments that JSON tells apart, and returns what all who ask may share.
 */
export function joinInFlight<Args extends readonly unknown[], Value>(
  call: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  const inFlight = new Map<string, Promise<Value>>();
  return (...args) => {
    const key = JSON.stringify(args);
    const running = inFlight.get(key);
    if (running) return running;
    const started = call(...args).finally(() => inFlight.delete(key));
    inFlight.set(key, started);
    return started;
  };
}
