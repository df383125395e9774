import type { RequestHandler } from 'express';
import type { Logger } from '../lib/logger.js';
import { routeOf } from './route.js';

/**
 * One line for each answered request. The path is that of the route, so neither ids nor query strings
 * are kept, and nothing of the headers or the body.
 */
export function requestLog(log: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      log.info(
        {
          requestId: response.locals.requestId,
          method: request.method,
          route: routeOf(request),
          status: response.writableFinished ? response.statusCode : 499,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        },
        'Request',
      );
    });
    next();
  };
}
