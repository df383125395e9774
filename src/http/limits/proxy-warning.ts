import type { RequestHandler } from 'express';
import type { Logger } from '../../lib/telemetry/logger.js';

/**
 * Warns once when a proxy forwards requests and `TRUST_PROXY` is not set: then every visitor counts as the proxy, and
 * all of them share its rate limits.
 */
export function warnOfProxy(log: Logger): RequestHandler {
  let isWarned = false;
  return ({ headers, socket }, _response, next) => {
    if (!isWarned && headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      const hint = 'X-Forwarded-For arrives, but TRUST_PROXY is not set: every client counts as this address';
      log.warn({ address: socket.remoteAddress }, hint);
    }
    next();
  };
}
