import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { isDatabaseAway, isDeadlock } from '../db/database-errors.js';
import { ApiError } from '../errors.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';

/** The values of `extensions.code`, by the status that the same error has in the REST API. */
const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
};

const UNAVAILABLE = {
  message: 'Service temporarily unavailable.',
  extensions: { code: 'SERVICE_UNAVAILABLE' },
} as const;

/** Gives an error that precedes every operation the status 503 when PostgreSQL is away, where Apollo answers 500. */
export function withStatus(error: unknown): unknown {
  if (!isDatabaseAway(error)) return error;
  const { message, extensions } = UNAVAILABLE;
  return new GraphQLError(message, {
    originalError: error as Error,
    extensions: { ...extensions, http: { status: 503 } },
  });
}

function fromApiError(error: ApiError): Pick<GraphQLFormattedError, 'message' | 'extensions'> {
  const { message, errors } = error.body as { message?: string; errors?: object };
  const retryAfter = error.headers['Retry-After'];
  return {
    message: message ?? error.message,
    extensions: {
      code: CODES[error.status] ?? 'BAD_REQUEST',
      // Paths of the arguments at fault, as in `input.fields.2.name`, to their messages.
      ...(errors && { errors }),
      ...(retryAfter && { retryAfterS: Number(retryAfter) }),
    },
  };
}

/**
 * Turns every error into a GraphQL error with a stable `extensions.code`. It never reveals a stack trace, a driver's
 * message or other internals.
 */
export function formatErrors(log: Logger) {
  const warn = limitLog(log);
  const logError = limitLog(log, 'error');
  return (formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError => {
    const { message, locations, path, extensions } = formatted;
    const position = { ...(locations && { locations }), ...(path && { path }) };
    const error = thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;
    if (error instanceof ApiError) return { ...fromApiError(error), ...position };
    // The GraphQL layer's own errors about the document: syntax, validation, variables, limits.
    const isOurs = thrown instanceof GraphQLError && thrown.originalError !== undefined;
    const { code } = extensions ?? {};
    if (code !== 'INTERNAL_SERVER_ERROR' && (!isOurs || error instanceof GraphQLError)) {
      return { message, ...position, extensions: { code } };
    }
    if (isDatabaseAway(error)) {
      warn(error, 'GraphQL operations refused: PostgreSQL is away', { path });
      return { ...UNAVAILABLE, ...position };
    }
    logError(error, 'GraphQL operation failed', { path });
    if (isDeadlock(error)) return { ...UNAVAILABLE, ...position };
    return { message: 'Server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' }, ...position };
  };
}
