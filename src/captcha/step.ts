import type { CaptchaType } from '../generated/prisma/enums.js';

/** The settings that a captcha step may have beside its key. */
export type StepSetting = 'siteKey' | 'secret' | 'projectId' | 'apiKey' | 'minScore';

/** The required and optional settings of a captcha step, by type. */
export const SETTINGS_BY_TYPE: Readonly<
  Record<CaptchaType, Readonly<{ required: readonly StepSetting[]; optional: readonly StepSetting[] }>>
> = {
  altcha: { required: [], optional: [] },
  turnstile: { required: ['siteKey', 'secret'], optional: [] },
  hcaptcha: { required: ['siteKey', 'secret'], optional: [] },
  recaptcha_v3: { required: ['siteKey', 'secret'], optional: ['minScore'] },
  recaptcha_enterprise: { required: ['siteKey', 'projectId', 'apiKey'], optional: ['secret', 'minScore'] },
};

/** Matches the key of a captcha step. */
export const STEP_KEY = new RegExp(
  `^(?:altcha|(${Object.keys(SETTINGS_BY_TYPE).join('|')}):([A-Za-z0-9_-]{1,100}))$`,
);

/** Parses the key of a captcha step: `turnstile:main`, or `altcha`, whose identifier is empty. */
export function parseStepKey(key: string): { type: CaptchaType; identifier: string } | null {
  const match = STEP_KEY.exec(key);
  if (!match) return null;
  return { type: (match[1] ?? 'altcha') as CaptchaType, identifier: match[2] ?? '' };
}

/** Formats the key of a captcha step, as in `turnstile:main` or `altcha`. */
export const stepKey = ({ type, identifier }: { type: CaptchaType; identifier: string }): string =>
  identifier === '' ? type : `${type}:${identifier}`;
