import type { RequestHandler } from 'express';
import { malformedRequest } from '../errors.js';

/** Refuses a request of HTTP/1.1 without a Host header (RFC 9112, 3.2), which Node would answer without a body. */
export const requireHost: RequestHandler = ({ httpVersion, headers }, _response, next) => {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw malformedRequest('The request has no Host header.');
  next();
};
