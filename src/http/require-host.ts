import type { RequestHandler } from 'express';
import { malformedRequest } from '../errors.js';

/** Tells whether an entry of Node's names and values in turn is the name of the Host header. */
const isHost = (text: string, index: number): boolean =>
  index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';

/** Refuses a request of HTTP/1.1 without a Host header, or with several (RFC 9112, 3.2), which Node would answer. */
export const requireHost: RequestHandler = ({ httpVersion, headers, rawHeaders }, _response, next) => {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw malformedRequest('The request has no Host header.');
  if (rawHeaders.findIndex(isHost) !== rawHeaders.findLastIndex(isHost))
    throw malformedRequest('The request has several Host headers.');
  next();
};
