import { objectOrEmpty } from '../../lib/is-object.js';
import { ask } from './ask.js';
import { hostnameFault, scoreFault } from './checks.js';
import { ACTION, type Attempt, accepted, refused, type Verdict } from './provider.js';

type Settings = Readonly<{
  url: string;
  projectId: string;
  apiKey: string;
  siteKey: string;
  minScore: number | null;
}>;

/** Matches Google's error reasons about our API key, deep in the body of a 4xx. */
const KEY_REASON = /"(API_KEY_[A-Z_]+|SERVICE_DISABLED)"/;

/**
 * Statuses for a key that may not ask for an assessment in the project, and for a project that is not there. A token
 * that is not valid has 200.
 */
const SETTINGS_STATUSES: readonly number[] = [401, 403, 404];

/** Verifies a token with reCAPTCHA Enterprise, by an assessment in the project of the API key. */
export async function verifyRecaptchaEnterprise(
  { url, projectId, apiKey, siteKey, minScore }: Settings,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Verdict> {
  const answer = await ask({
    url: `${url}/projects/${encodeURIComponent(projectId)}/assessments?key=${encodeURIComponent(apiKey)}`,
    contentType: 'application/json',
    body: JSON.stringify({
      event: {
        token: attempt.token,
        siteKey,
        expectedAction: ACTION,
        userIpAddress: attempt.clientIp,
        userAgent: attempt.userAgent,
      },
    }),
    signal,
  });
  if (answer.outcome !== 'answered') return answer;
  if (!answer.ok) {
    const blamesSettings = SETTINGS_STATUSES.includes(answer.status) || KEY_REASON.test(answer.text);
    return refused(blamesSettings ? 'secret_refused' : 'client_error');
  }
  const token = objectOrEmpty(answer.body.tokenProperties);
  if (token.valid !== true) return refused('rejected');
  if (token.action !== ACTION) return refused('wrong_action');
  return (
    hostnameFault(token.hostname, attempt.hostname) ??
    scoreFault(objectOrEmpty(answer.body.riskAnalysis).score, minScore) ??
    accepted
  );
}
