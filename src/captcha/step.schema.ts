import { z } from 'zod';
import { text, uniqueList } from '../lib/schemas.js';
import { LINK_SETTINGS, type LinkSetting, parseStepKey } from './step.js';

/** Schemas of a captcha step's settings, which every interface that sets them shares. */
export const LINK_VALUES = {
  key: z.string().refine((key) => parseStepKey(key) !== null, {
    error: `must be altcha, or type:identifier with a type among ${Object.keys(LINK_SETTINGS).join(', ')}`,
  }),
  siteKey: text(500, 1),
  secret: text(1000, 1),
  projectId: text(255, 1),
  apiKey: text(1000, 1),
  minScore: z.number().min(0).max(1),
};

/** Maximum number of captcha steps in a chain. */
export const MAX_LINKS = 20;

/** The secret settings. An omitted one keeps the stored value; `missingSecrets` requires it for a new step. */
const SECRETS: readonly LinkSetting[] = ['secret', 'apiKey'];

type Written = { key: string } & { [Setting in LinkSetting]?: unknown };

/** Lists the settings that a captcha step's type does not have, and the required ones that are missing. */
export function linkFaults(link: Written): { setting: LinkSetting; message: string }[] {
  const type = parseStepKey(link.key)?.type;
  if (!type) return [];
  const { required, optional } = LINK_SETTINGS[type];
  return (['siteKey', 'secret', 'projectId', 'apiKey', 'minScore'] as const).flatMap((setting) => {
    const isPresent = link[setting] !== null && link[setting] !== undefined;
    if (isPresent && !required.includes(setting) && !optional.includes(setting)) {
      return [{ setting, message: `is not a setting of ${type}` }];
    }
    if (!isPresent && required.includes(setting) && !SECRETS.includes(setting)) {
      return [{ setting, message: `is required for ${type}` }];
    }
    return [];
  });
}

/** Reads null as an omitted secret, which keeps the stored one. */
const given = (secret: z.ZodString) => secret.nullish().transform((value) => value ?? undefined);

/** A whole chain, in its order. */
export const chainLinks = uniqueList(
  z
    .strictObject({
      key: LINK_VALUES.key,
      siteKey: LINK_VALUES.siteKey.nullish().transform((value) => value ?? null),
      secret: given(LINK_VALUES.secret),
      projectId: LINK_VALUES.projectId.nullish().transform((value) => value ?? null),
      apiKey: given(LINK_VALUES.apiKey),
      minScore: LINK_VALUES.minScore.nullish().transform((value) => value ?? null),
    })
    .superRefine((link, context) => {
      for (const { setting, message } of linkFaults(link)) {
        context.addIssue({ code: 'custom', path: [setting], message });
      }
    }),
  MAX_LINKS,
  ({ key }) => ({ key }),
);
