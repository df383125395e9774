import type { RequestHandler, Response } from 'express';
import type { Logger } from '../lib/telemetry/logger.js';
import { requestDuration } from '../lib/telemetry/metrics.js';

declare global {
  namespace Express {
    interface Locals {
      /** The kind and field of a GraphQL operation, as in `query submissions`. */
      operation?: string;
      /** The website that the request was for, once it is known to exist. */
      websiteId?: string;
      /** The submission that the request recorded. */
      leadId?: string;
      /** The trace of the request, while it is traced. */
      traceId?: string;
    }
  }
}

/** The status that was answered; 499 when the client did not wait for it. */
export const statusOf = (response: Response): number =>
  response.writableFinished ? response.statusCode : 499;

/**
 * Writes one line of the log and one observation of the metrics for each answered request. The path is the pattern of
 * the route, so no query string is logged, and nothing of the headers or the body.
 */
export function requestLog(log: Logger): RequestHandler {
  // The line has harmless fields only, so it need not be searched for secrets.
  const lines = log.child({}, { redact: [] });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.on('close', () => {
      const { method } = request;
      const route: string | null = request.route?.path ?? null;
      const status = statusOf(response);
      const durationMs = performance.now() - startedAt;
      const { requestId, traceId, websiteId, leadId, operation } = response.locals;
      const labels = { method, route: route ?? 'unmatched', status, ...(operation && { operation }) };
      requestDuration.observe(labels, durationMs / 1000);
      const rounded = Math.round(durationMs * 10) / 10;
      lines.info(
        { requestId, traceId, method, route, status, durationMs: rounded, operation, websiteId, leadId },
        'Request',
      );
    });
    next();
  };
}
