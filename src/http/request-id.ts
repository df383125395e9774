import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';

declare global {
  namespace Express {
    interface Locals {
      requestId: string;
    }
  }
}

/** Ids that a log, a header and a column can hold. */
const REQUEST_ID = /^[\w.:-]{8,64}$/;

/** Version, trace, parent and flags of W3C Trace Context; a trace of zeros is invalid. */
const TRACE_PARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}\b/;

/** Returns the id that a proxy or client gave the request: `X-Request-Id`, else the trace of `traceparent`. */
function sentId(headers: IncomingHttpHeaders): string | null {
  const sent = headers['x-request-id'];
  if (typeof sent === 'string' && REQUEST_ID.test(sent)) return sent;
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? (TRACE_PARENT.exec(traceparent)?.[1] ?? null) : null;
}

/**
 * Gives every request an id, for the answer's `X-Request-Id` and for each line of the log: the one that it came with,
 * so that the lines of a proxy and of Formgate can be matched, or else one of its own.
 */
export const requestId: RequestHandler = ({ headers }, response, next) => {
  response.locals.requestId = sentId(headers) ?? randomUUID();
  response.setHeader('X-Request-Id', response.locals.requestId);
  next();
};
