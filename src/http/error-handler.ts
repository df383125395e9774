import type { ErrorRequestHandler, RequestHandler } from 'express';
import { isDatabaseAway } from '../db/client.js';
import {
  ApiError,
  malformedBody,
  notFound,
  payloadTooLarge,
  serverError,
  unavailable,
  unsupportedMediaType,
} from '../errors.js';
import type { Logger } from '../lib/logger.js';

/** For a path that nothing serves. */
export const notFoundHandler: RequestHandler = () => {
  throw notFound();
};

/** Refuses OPTIONS, behind what answers preflights: Express would list the methods of a path as plain text. */
export const optionsHandler: RequestHandler = ({ method }, _response, next) => {
  if (method === 'OPTIONS') throw notFound();
  next();
};

/** The documented answer for what Express and its body parser throw themselves; null for a fault of ours. */
function fromExpress(error: { status?: unknown; type?: unknown }): ApiError | null {
  switch (error.type) {
    case 'entity.too.large':
      return payloadTooLarge();
    case 'encoding.unsupported':
      return unsupportedMediaType('The Content-Encoding is not supported.');
    case 'request.aborted':
    case 'request.size.invalid':
      return malformedBody('The body does not have the announced length.');
    default:
      // Malformed compression, and percent-encoding in the path.
      return error.status === 400 ? malformedBody('The request is malformed.') : null;
  }
}

/** The one place where errors become answers (interface 7). What is not documented is a 500 that says nothing. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    let answer = error instanceof ApiError ? error : fromExpress(error);
    if (!answer) {
      const away = isDatabaseAway(error);
      const line = { requestId: response.locals.requestId, err: error };
      if (away) log.warn({ ...line, err: undefined, reason: 'PostgreSQL is away' }, 'Request refused');
      else log.error(line, 'Request failed');
      answer = away ? unavailable() : serverError();
    }
    response.status(answer.status).set(answer.headers).json(answer.body);
  };
}
