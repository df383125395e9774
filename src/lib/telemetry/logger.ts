import { type LoggerOptions, pino } from 'pino';

/** The log is flushed when its buffer holds this much or this time has passed. */
const BUFFER_BYTES = 8_192;
const FLUSH_EVERY_MS = 100;

export type Logger = ReturnType<typeof createLogger>;

/**
 * Creates a logger of JSON lines on stderr, since stdout belongs to the output of a command. The code names each field
 * that it logs. As a second safeguard, keys that could carry a secret or a visitor's data are redacted, down to two
 * levels of nesting.
 */
export function createLogger(level: string, bindings: Record<string, string> = {}) {
  const options: LoggerOptions = {
    level,
    base: bindings,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['authorization', 'cookie', 'password', 'token', 'secret', 'body', 'values'].flatMap((key) => [
        key,
        `*.${key}`,
        `*.*.${key}`,
      ]),
      remove: true,
    },
  };
  // A write for each line costs more than the line. The buffer is also flushed when the process exits.
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  // sonic-boom's own flush at the exit tries for ever to write to a pipe whose reader has gone.
  destination.flushSync = () => {
    Object.assign(destination, { sync: true, minLength: 1 });
    destination.flush();
  };
  return pino(options, destination);
}
