import type { Config } from '../../config.js';
import type { CaptchaStep } from '../../generated/prisma/client.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { decryptStepSecret } from '../editing/save-chain.js';
import { TIMEOUT_MS } from './ask.js';
import { verifyHcaptcha } from './hcaptcha.js';
import { type Attempt, refused, type Verdict } from './provider.js';
import { verifyRecaptcha } from './recaptcha.js';
import { verifyRecaptchaEnterprise } from './recaptcha-enterprise.js';
import { verifyTurnstile } from './turnstile.js';

export type RemoteSettings = CaptchaStep & { type: Exclude<CaptchaStep['type'], 'altcha'> };

/** Tells whether a provider verifies the tokens of a captcha step, not Formgate itself. */
export const isRemote = <Step extends CaptchaStep>(step: Step): step is Step & RemoteSettings =>
  step.type !== 'altcha';

type Services = Readonly<{ cipher: Cipher; verifyUrls: Config['verifyUrls'] }>;

/**
 * Decrypts the secret for the provider of a captcha step.
 *
 * It is empty when the step has none, or one that was encrypted under another APP_KEY.
 */
export function readSecret(cipher: Cipher, step: RemoteSettings): string {
  const name = step.type === 'recaptcha_enterprise' ? 'api-key' : 'secret';
  try {
    return decryptStepSecret(cipher, step, name) ?? '';
  } catch {
    return '';
  }
}

/**
 * Verifies a token with the provider of a captcha step, within three seconds. It never rejects.
 *
 * A step without the settings that its provider needs refuses every token, without a call.
 */
export async function verifyRemote(
  { cipher, verifyUrls }: Services,
  step: RemoteSettings,
  attempt: Attempt,
): Promise<Verdict> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { minScore, siteKey, projectId } = step;
  const secret = readSecret(cipher, step);
  if (secret === '') return refused('secret_missing');
  switch (step.type) {
    case 'recaptcha_v3':
      return verifyRecaptcha({ url: verifyUrls.recaptcha, secret, minScore }, attempt, signal);
    case 'recaptcha_enterprise':
      if (!projectId || !siteKey) return refused('secret_missing');
      return verifyRecaptchaEnterprise(
        { url: verifyUrls.recaptchaEnterprise, projectId, apiKey: secret, siteKey, minScore },
        attempt,
        signal,
      );
    case 'turnstile':
      return verifyTurnstile({ url: verifyUrls.turnstile, secret }, attempt, signal);
    case 'hcaptcha':
      if (!siteKey) return refused('secret_missing');
      return verifyHcaptcha({ url: verifyUrls.hcaptcha, secret, siteKey }, attempt, signal);
  }
}
