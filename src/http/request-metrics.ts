import type { RequestHandler } from 'express';
import { requestDuration } from '../lib/metrics.js';

/** Counts and times each answered request by the pattern of its route. */
export const requestMetrics: RequestHandler = (request, response, next) => {
  const stop = requestDuration.startTimer();
  response.once('close', () => {
    stop({
      method: request.method,
      route: request.route?.path ?? 'unmatched',
      status: response.writableFinished ? response.statusCode : 499,
    });
  });
  next();
};
