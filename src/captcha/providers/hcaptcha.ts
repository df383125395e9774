import { hostnameFault } from './checks.js';
import { type Attempt, accepted, type Verdict } from './provider.js';
import { postSiteverify, siteverifyFault } from './siteverify.js';

type Settings = Readonly<{ url: string; secret: string; siteKey: string }>;

/** The answer of hCaptcha in place of a host name that the visitor's browser withholds. */
const WITHHELD = 'not-provided';

/** Verifies a token with hCaptcha, which binds it to the site key in the request. */
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
