import { causeOf } from './cause.js';
import type { Logger } from './logger.js';

/** How long further failures of the same cause are only counted. */
const ONCE_PER_MS = 60_000;

/** Writes a failure to the log, unless one of the same message and cause was written within the last minute. */
export type LimitedLog = (error: unknown, message: string, fields?: object) => void;

/**
 * Limits the lines about failures to one per message and cause in a minute: a server that is away or full fails
 * thousands of requests a second, all for one reason. A line names its cause, and counts the failures since the last.
 *
 * @param level `error` for what may be a fault in the program: such a line has the stack of its error as well.
 * @param now Milliseconds of a monotonic clock.
 */
export function limitLog(
  log: Pick<Logger, 'warn' | 'error'>,
  level: 'warn' | 'error' = 'warn',
  now = () => performance.now(),
): LimitedLog {
  const written = new Map<string, { at: number; since: number }>();
  return (error, message, fields = {}) => {
    const cause = causeOf(error);
    const key = `${message} ${cause.cause}`;
    const last = written.get(key);
    if (last && now() - last.at < ONCE_PER_MS) {
      last.since += 1;
      return;
    }
    written.set(key, { at: now(), since: 0 });
    const err = level === 'error' && { err: error };
    const repeated = last && last.since > 0 && { repeated: last.since };
    log[level]({ ...fields, ...cause, ...err, ...repeated }, message);
  };
}
