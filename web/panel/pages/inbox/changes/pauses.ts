import { GatewayError } from '../../../graphql.js';

/** Pauses after failures that pass, such as a restart of the gateway, in seconds: more than a minute in all. */
const PAUSES_S = [2, 5, 10, 20, 30] as const;

/** Tells how long to wait after each failure of a call: as long as a limit asks, and ever longer after what passes. */
export function createPauses(): (error: unknown) => number | null {
  let failures = 0;
  return (error) => {
    if (!(error instanceof GatewayError)) return null;
    if (error.code === 'RATE_LIMITED') return error.retryAfterS;
    return error.isPassing ? (PAUSES_S[failures++] ?? null) : null;
  };
}
