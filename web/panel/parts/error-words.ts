import { GatewayError } from '../graphql.js';
import type { useText } from '../language.js';
import type { TextId } from '../texts/text-id.js';

/** The sentence for each code that the gateway answers; any other is a fault of the gateway. */
const SENTENCES: Readonly<Record<string, TextId>> = {
  BAD_USER_INPUT: 'error.BAD_USER_INPUT',
  CONFLICT: 'error.CONFLICT',
  FORBIDDEN: 'error.FORBIDDEN',
  NOT_FOUND: 'error.NOT_FOUND',
  OPERATION_TOO_COSTLY: 'error.OPERATION_TOO_COSTLY',
  RATE_LIMITED: 'error.RATE_LIMITED',
  SERVICE_UNAVAILABLE: 'error.SERVICE_UNAVAILABLE',
  UNAUTHENTICATED: 'error.UNAUTHENTICATED',
  UNREACHABLE: 'error.UNREACHABLE',
};

/** What is said of an error. */
type Described = Readonly<{ text: string; code: string; requestId: string | null }>;

/** Puts an error into words by its code. An error of the page itself has the code `PAGE`. */
export function describeError(error: Error, t: ReturnType<typeof useText>): Described {
  if (!(error instanceof GatewayError)) return { text: t('error.PAGE'), code: 'PAGE', requestId: null };
  const { code, requestId, retryAfterS } = error;
  const seconds = retryAfterS ?? 0;
  const sentence = SENTENCES[code] ?? 'error.INTERNAL_SERVER_ERROR';
  return {
    text: t(sentence, { seconds, minutes: seconds > 90 ? Math.ceil(seconds / 60) : 0 }),
    code,
    requestId,
  };
}
