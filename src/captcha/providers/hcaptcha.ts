import { hostnameFault } from './checks.js';
import { type Attempt, accepted, type Verdict } from './provider.js';
import { postSiteverify, siteverifyFault } from './siteverify.js';

type Settings = Readonly<{ url: string; secret: string; siteKey: string }>;

/** What hCaptcha answers in place of a host name that the visitor's browser withholds. */
const WITHHELD = 'not-provided';

/** hCaptcha, which binds the token to the site key that is sent along. */
export async function verifyHcaptcha(
  { url, secret, siteKey }: Settings,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Verdict> {
  const answer = await postSiteverify(url, { secret, attempt, extra: { sitekey: siteKey } }, signal);
  if (answer.outcome !== 'answered') return answer;
  const { hostname } = answer.body;
  return (
    siteverifyFault(answer) ??
    hostnameFault(hostname === WITHHELD ? null : hostname, attempt.hostname) ??
    accepted
  );
}
