import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that work in steps takes in one turn of the event loop; only a single longer step exceeds it. */
const TURN_MS = 5;

/** Work that may hold the event loop for long, and yields between its steps. */
export type Steps<Result> = Generator<void, Result>;

/** Runs work in steps to its end at once, for a process that serves no requests meanwhile. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Runs work in steps to its end, and lets other requests be served after each few milliseconds of it. */
export async function finishInTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let startedAt = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - startedAt < TURN_MS) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
