import { randomUUID } from 'node:crypto';
import { hostnameFault } from './checks.js';
import { ACTION, type Attempt, accepted, refused, type Verdict } from './provider.js';
import { errorCodes, postSiteverify, siteverifyFault } from './siteverify.js';

type Settings = Readonly<{ url: string; secret: string }>;

/** Turnstile says so when it could not tell, and that the call may be repeated. */
const MAY_RETRY = 'internal-error';

/** The action of a widget that was given none is empty. */
function actionFault(action: unknown): Verdict | null {
  const none = action === undefined || action === null || action === '';
  return none || action === ACTION ? null : refused('wrong_action');
}

/**
 * Turnstile. An internal error of theirs is asked about once more within the same time; the same
 * idempotency key makes both one use of the token.
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
