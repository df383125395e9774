import { randomUUID } from 'node:crypto';
import { hostnameFault } from './checks.js';
import { ACTION, type Attempt, accepted, refused, type Verdict } from './provider.js';
import { errorCodes, postSiteverify, siteverifyFault } from './siteverify.js';

type Settings = Readonly<{ url: string; secret: string }>;

/** Turnstile's error code when it could not verify the token and the call may be retried. */
const MAY_RETRY = 'internal-error';

/** Refuses another action than ours; a widget without one sends an empty action. */
function actionFault(action: unknown): Verdict | null {
  const none = action === undefined || action === null || action === '';
  return none || action === ACTION ? null : refused('wrong_action');
}

/**
 * Verifies a token with Turnstile, with one retry after an internal error, within the same timeout.
 *
 * The same idempotency key makes both calls one use of the token.
 */
export async function verifyTurnstile(
  { url, secret }: Settings,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Verdict> {
  const extra = { idempotency_key: randomUUID() };
  const once = () => postSiteverify(url, { secret, attempt, extra }, signal);
  let answer = await once();
  if (answer.outcome === 'answered' && errorCodes(answer.body).includes(MAY_RETRY)) answer = await once();
  if (answer.outcome !== 'answered') return answer;
  return (
    siteverifyFault(answer) ??
    actionFault(answer.body.action) ??
    hostnameFault(answer.body.hostname, attempt.hostname) ??
    accepted
  );
}
