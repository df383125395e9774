import { hostnameFault, scoreFault } from './checks.js';
import { ACTION, type Attempt, accepted, refused, type Verdict } from './provider.js';
import { postSiteverify, siteverifyFault } from './siteverify.js';

type Settings = Readonly<{ url: string; secret: string; minScore: number | null }>;

/** Verifies a token with reCAPTCHA v3: its score, and the action that it was made for. */
export async function verifyRecaptcha(
  { url, secret, minScore }: Settings,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Verdict> {
  const answer = await postSiteverify(url, { secret, attempt }, signal);
  if (answer.outcome !== 'answered') return answer;
  const { body } = answer;
  return (
    siteverifyFault(answer) ??
    (body.action === ACTION ? null : refused('wrong_action')) ??
    hostnameFault(body.hostname, attempt.hostname) ??
    scoreFault(body.score, minScore) ??
    accepted
  );
}
