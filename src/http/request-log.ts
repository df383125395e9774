import type { RequestHandler, Response } from 'express';
import type { RefusalDetail } from '../errors.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { requestDuration } from '../lib/telemetry/metrics.js';

/** Why a request was refused, as its line of the log says it. */
export type Refusal = RefusalDetail & Readonly<{ error: unknown; fields: readonly string[] | undefined }>;

declare global {
  namespace Express {
    interface Locals {
      /** The kind and field of a GraphQL operation, as in `query submissions`. */
      operation?: string;
      /** The website that the request was for, once it is known to exist. */
      websiteId?: string;
      /** The submission that the request recorded. */
      leadId?: string;
      /** Why the request was refused. */
      refusal?: Refusal;
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
 * the route, so no query string is logged. Of headers and body it says, for a request that is refused, the host that it
 * came from and the names of the fields at fault.
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
      const { requestId, traceId, websiteId, leadId, operation, refusal } = response.locals;
      const labels = { method, route: route ?? 'unmatched', status, ...(operation && { operation }) };
      requestDuration.observe(labels, durationMs / 1000);
      const rounded = Math.round(durationMs * 10) / 10;
      lines.info(
        {
          requestId,
          traceId,
          method,
          route,
          status,
          durationMs: rounded,
          operation,
          websiteId,
          leadId,
          ...refusal,
        },
        'Request',
      );
    });
    next();
  };
}
