import { GatewayError } from '../../graphql.js';
import type { useText } from '../../language.js';
import { textOfConflict } from '../form/conflict-sentences.js';

/** The codes of the gateway that have a text; any other is a fault of the gateway. */
const CODES = [
  'BAD_USER_INPUT',
  'CONFLICT',
  'FORBIDDEN',
  'NOT_FOUND',
  'OPERATION_TOO_COSTLY',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'UNAUTHENTICATED',
  'UNREACHABLE',
] as const;

/** What is said of an error. */
type Described = Readonly<{ text: string; code: string; requestId: string | null }>;

/** Puts an error into words by its code, or its sentence. An error of the page itself has the code `PAGE`. */
export function describeError(error: Error, t: ReturnType<typeof useText>): Described {
  if (!(error instanceof GatewayError)) return { text: t('error.PAGE'), code: 'PAGE', requestId: null };
  const { code, message, requestId, retryAfterS } = error;
  const seconds = retryAfterS ?? 0;
  const minutes = seconds > 90 ? Math.ceil(seconds / 60) : 0;
  const conflict = code === 'CONFLICT' ? textOfConflict(message) : null;
  const known = CODES.find((one) => one === code) ?? 'INTERNAL_SERVER_ERROR';
  const text = conflict ? t(conflict.id, conflict) : t(`error.${known}`, { seconds, minutes });
  return { text, code, requestId };
}
