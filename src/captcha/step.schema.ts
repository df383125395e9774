import { z } from 'zod';
import { text, uniqueList } from '../lib/schemas.js';
import { LINK_SETTINGS, type LinkSetting, parseStepKey } from './step.js';

/** What the settings of a chain's link may be, whoever sets them. */
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

/** A chain may be this long. */
export const MAX_LINKS = 20;

/** Left out, a secret that is already stored stays; `missingSecrets` asks for it when the link is new. */
const SECRETS: readonly LinkSetting[] = ['secret', 'apiKey'];

type Written = { key: string } & { [Setting in LinkSetting]?: unknown };

/** Settings that a link's type does not have, and those that it must have. */
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

/** A secret that is null is not given: what is stored stays. */
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
