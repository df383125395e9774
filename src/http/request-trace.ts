import type { RequestHandler } from 'express';
import type { Tracing } from '../lib/telemetry/tracing.js';
import { statusOf } from './request-log.js';

/**
 * Traces each request as a span, which continues the trace of its `traceparent`. Like the log it has the pattern of the
 * route, and nothing of the address, the headers or the body.
 */
export function requestTrace({ api, tracer }: Tracing): RequestHandler {
  return (request, response, next) => {
    const { method, headers } = request;
    const outer = api.propagation.extract(api.ROOT_CONTEXT, headers);
    const span = tracer.startSpan(method, { kind: api.SpanKind.SERVER }, outer);
    response.locals.traceId = span.spanContext().traceId;
    response.on('close', () => {
      const { requestId, websiteId, leadId, operation } = response.locals;
      const route: string | undefined = request.route?.path;
      const status = statusOf(response);
      span.updateName(`${method} ${operation ?? route ?? 'unmatched'}`);
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'formgate.request_id': requestId,
        'formgate.website_id': websiteId,
        'formgate.lead_id': leadId,
        'formgate.operation': operation,
      });
      if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    });
    api.context.with(api.trace.setSpan(outer, span), next);
  };
}
