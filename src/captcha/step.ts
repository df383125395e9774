import { CaptchaType } from '../generated/prisma/enums.js';

/** The settings a link may have beside its key. */
export type LinkSetting = 'siteKey' | 'secret' | 'projectId' | 'apiKey' | 'minScore';

/** What a link of each type must and may have. */
export const LINK_SETTINGS: Readonly<
  Record<CaptchaType, Readonly<{ required: readonly LinkSetting[]; optional: readonly LinkSetting[] }>>
> = {
  altcha: { required: [], optional: [] },
  turnstile: { required: ['siteKey', 'secret'], optional: [] },
  hcaptcha: { required: ['siteKey', 'secret'], optional: [] },
  recaptcha_v3: { required: ['siteKey', 'secret'], optional: ['minScore'] },
  recaptcha_enterprise: { required: ['siteKey', 'projectId', 'apiKey'], optional: ['secret', 'minScore'] },
};

/** Of a link's key. */
export const LINK_KEY = new RegExp(
  `^(?:altcha|(${Object.values(CaptchaType).join('|')}):([A-Za-z0-9_-]{1,100}))$`,
);

/** Type and identifier of a link's key: `turnstile:main`, or `altcha`, whose identifier is empty. */
export function parseStepKey(key: string): { type: CaptchaType; identifier: string } | null {
  const match = LINK_KEY.exec(key);
  if (!match) return null;
  return { type: (match[1] ?? 'altcha') as CaptchaType, identifier: match[2] ?? '' };
}

/** The key of a link, as in `turnstile:main` or `altcha`. */
export const stepKey = ({ type, identifier }: { type: CaptchaType; identifier: string }): string =>
  identifier === '' ? type : `${type}:${identifier}`;
