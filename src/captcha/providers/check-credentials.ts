import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { TIMEOUT_MS } from './ask.js';
import type { Attempt } from './provider.js';
import { verifyRecaptchaEnterprise } from './recaptcha-enterprise.js';
import { errorCodes, postSiteverify, SECRET_CODES } from './siteverify.js';
import { type RemoteSettings, readSecret } from './verify-remote.js';

/**
 * The verdict of a provider on a captcha step's credentials.
 *
 * `accepts_anything`: they are test credentials, which let every token pass. `unclear`: the answer blames neither the
 * credentials nor the token.
 */
export type CredentialsVerdict = 'accepted' | 'refused' | 'unreachable' | 'accepts_anything' | 'unclear';

/** Error codes of the providers for a wrong token, which they return only for valid credentials. */
const TOKEN_CODES: ReadonlySet<unknown> = new Set([
  'invalid-input-response',
  'invalid-or-already-seen-response',
  'timeout-or-duplicate',
]);

/** A token that no provider has issued. */
const WRONG_TOKEN = 'formgate-credentials-check';

type Services = Readonly<{ cipher: Cipher; verifyUrls: Config['verifyUrls'] }>;

/**
 * Checks a captcha step's credentials with its provider, within three seconds. It never rejects.
 *
 * The call has a token that is wrong on purpose: the credentials are right when the provider blames the token.
 */
export async function checkCredentials(
  { cipher, verifyUrls }: Services,
  step: RemoteSettings,
  client: Omit<Attempt, 'token'>,
): Promise<CredentialsVerdict> {
  const secret = readSecret(cipher, step);
  if (secret === '' || !step.siteKey) return 'refused';
  const attempt = { ...client, token: WRONG_TOKEN };
  switch (step.type) {
    case 'recaptcha_v3':
      return checkSiteverify(verifyUrls.recaptcha, { secret, attempt });
    case 'turnstile':
      return checkSiteverify(verifyUrls.turnstile, {
        secret,
        attempt,
        extra: { idempotency_key: randomUUID() },
      });
    case 'hcaptcha':
      return checkSiteverify(verifyUrls.hcaptcha, { secret, attempt, extra: { sitekey: step.siteKey } });
    case 'recaptcha_enterprise':
      return checkEnterprise(verifyUrls.recaptchaEnterprise, step, secret, attempt);
  }
}

async function checkSiteverify(
  url: string,
  question: Parameters<typeof postSiteverify>[1],
): Promise<CredentialsVerdict> {
  const answer = await postSiteverify(url, question, AbortSignal.timeout(TIMEOUT_MS));
  if (answer.outcome === 'unavailable') return 'unreachable';
  if (answer.outcome !== 'answered') return 'unclear';
  const codes = errorCodes(answer.body);
  if (codes.some((code) => SECRET_CODES.has(code))) return 'refused';
  if (codes.some((code) => TOKEN_CODES.has(code))) return 'accepted';
  return answer.body.success === true ? 'accepts_anything' : 'unclear';
}

/** Checks credentials of reCAPTCHA Enterprise, which checks project, site key and API key before the token. */
async function checkEnterprise(
  url: string,
  { projectId, siteKey }: RemoteSettings,
  apiKey: string,
  attempt: Attempt,
): Promise<CredentialsVerdict> {
  if (!projectId || !siteKey) return 'refused';
  const verdict = await verifyRecaptchaEnterprise(
    { url, projectId, apiKey, siteKey, minScore: 0 },
    attempt,
    AbortSignal.timeout(TIMEOUT_MS),
  );
  switch (verdict.outcome) {
    case 'unavailable':
      return 'unreachable';
    case 'accepted':
      return 'accepts_anything';
    case 'refused': {
      if (verdict.reason === 'rejected') return 'accepted';
      return verdict.blamesSecret || verdict.reason === 'client_error' ? 'refused' : 'unclear';
    }
  }
}
