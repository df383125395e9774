import type { ErrorRequestHandler, RequestHandler } from 'express';
import { isDatabaseAway, isDeadlock } from '../db/database-errors.js';
import { ApiError, malformedRequest, notFound, serverError, unavailable } from '../errors.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Refusal } from './request-log.js';

/** Refuses a path that no route serves. */
export const notFoundHandler: RequestHandler = () => {
  throw notFound();
};

/** Refuses OPTIONS that are no preflights: Express would list the methods of a path as plain text. */
export const optionsHandler: RequestHandler = ({ method }, _response, next) => {
  if (method === 'OPTIONS') throw notFound();
  next();
};

/** Maps Express's error for malformed percent-encoding in a path to the documented answer; null for any other error. */
const fromExpress = ({ status }: { status?: unknown }): ApiError | null =>
  status === 400 ? malformedRequest('The request is malformed.') : null;

/** How many names of fields the log says, and how much of each: of unknown ones they are the caller's. */
const MAX_FIELDS = 20;
const MAX_NAME_LENGTH = 64;

/**
 * Describes an answer for the log: its code, or the fixed message that some have in its place, and the names of the
 * fields at fault. Other messages may quote what was sent.
 */
function describeRefusal({ status, body, logged }: ApiError): Refusal {
  const { error, message, errors } = body;
  const hasFixedMessage = [401, 403, 404].includes(status);
  return {
    error: error ?? (hasFixedMessage ? message : undefined),
    fields: errors
      ? Object.keys(errors)
          .slice(0, MAX_FIELDS)
          .map((name) => name.slice(0, MAX_NAME_LENGTH))
      : undefined,
    ...logged,
  };
}

/**
 * Turns every error into an answer (guide: Everything that can go wrong).
 *
 * An undocumented error is a 500 that reveals nothing.
 */
export function errorHandler(log: Logger): ErrorRequestHandler {
  const warn = limitLog(log);
  const logError = limitLog(log, 'error');
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    let answer = error instanceof ApiError ? error : fromExpress(error);
    if (!answer) {
      const away = isDatabaseAway(error);
      const { requestId, traceId, websiteId } = response.locals;
      const ids = { requestId, traceId, websiteId };
      if (away) warn(error, 'Requests refused: PostgreSQL is away', ids);
      else logError(error, 'Request failed', ids);
      answer = away || isDeadlock(error) ? unavailable() : serverError();
    }
    response.locals.refusal = describeRefusal(answer);
    response.status(answer.status).set(answer.headers).json(answer.body);
  };
}
