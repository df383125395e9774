import type { RequestHandler } from 'express';
import type { Logger } from '../../lib/telemetry/logger.js';

/**
 * Warns once when a request is forwarded by an address that `TRUST_PROXY` does not name: then every visitor counts as
 * that address, and all of them share its rate limits.
 */
export function warnOfProxy(log: Logger): RequestHandler {
  let isWarned = false;
  return ({ app, headers, socket: { remoteAddress } }, _response, next) => {
    if (!isWarned && headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined) {
      const isTrusted: (address: string, hop: number) => boolean = app.get('trust proxy fn');
      if (!isTrusted(remoteAddress, 0)) {
        isWarned = true;
        const hint =
          'X-Forwarded-For arrives from an address that TRUST_PROXY does not name: every client counts as it';
        log.warn({ address: remoteAddress }, hint);
      }
    }
    next();
  };
}
