import { type LoggerOptions, pino } from 'pino';

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
  return pino(options, pino.destination({ dest: 2, sync: true }));
}
