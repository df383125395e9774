import { type LoggerOptions, pino } from 'pino';

/** Lines are written when this much has gathered or this time has gone by. */
const GATHERED_BYTES = 8_192;
const GATHERED_MS = 100;

export type Logger = ReturnType<typeof createLogger>;

/**
 * JSON lines on stderr, since stdout belongs to what a command answers. What the code logs is listed field by field; as a second fence, the keys that
 * could carry a secret or a visitor's data are cut out wherever they stand.
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
  // A write for each line costs more than the line. What has gathered is also written when the process exits.
  return pino(
    options,
    pino.destination({ dest: 2, sync: false, minLength: GATHERED_BYTES, periodicFlush: GATHERED_MS }),
  );
}
