import { z } from 'zod';
import { optional, orNull, text, uniqueList } from '../../lib/input.schema.js';
import { parseStepKey, SETTINGS_BY_TYPE, type StepSetting } from '../step.js';

/** Schemas of a captcha step's settings, which every interface that sets them shares. */
export const STEP_SCHEMA = {
  key: z.string().refine((key) => parseStepKey(key) !== null, {
    error: `must be altcha, or type:identifier with a type among ${Object.keys(SETTINGS_BY_TYPE).join(', ')}`,
  }),
  siteKey: text(500, 1),
  secret: text(1000, 1),
  projectId: text(255, 1),
  apiKey: text(1000, 1),
  minScore: z.number().min(0).max(1),
};

/** Maximum number of captcha steps in a chain. */
export const MAX_STEPS = 20;

/** The secret settings. An omitted one keeps the stored value; `missingSecrets` requires it for a new step. */
const SECRETS: readonly StepSetting[] = ['secret', 'apiKey'];

type Written = { key: string } & { [Setting in StepSetting]?: unknown };

/** Lists the settings that a captcha step's type does not have, and the required ones that are missing. */
export function stepFaults(step: Written): { setting: StepSetting; message: string }[] {
  const type = parseStepKey(step.key)?.type;
  if (!type) return [];
  const { required, optional } = SETTINGS_BY_TYPE[type];
  return (['siteKey', 'secret', 'projectId', 'apiKey', 'minScore'] as const).flatMap((setting) => {
    const isPresent = step[setting] !== null && step[setting] !== undefined;
    if (isPresent && !required.includes(setting) && !optional.includes(setting)) {
      return [{ setting, message: `is not a setting of ${type}` }];
    }
    if (!isPresent && required.includes(setting) && !SECRETS.includes(setting)) {
      return [{ setting, message: `is required for ${type}` }];
    }
    return [];
  });
}

/** A whole chain, in its order. */
export const chainSchema = uniqueList(
  z
    .strictObject({
      key: STEP_SCHEMA.key,
      siteKey: orNull(STEP_SCHEMA.siteKey),
      // An omitted secret keeps the stored one.
      secret: optional(STEP_SCHEMA.secret),
      projectId: orNull(STEP_SCHEMA.projectId),
      apiKey: optional(STEP_SCHEMA.apiKey),
      minScore: orNull(STEP_SCHEMA.minScore),
    })
    .superRefine((step, context) => {
      for (const { setting, message } of stepFaults(step)) {
        context.addIssue({ code: 'custom', path: [setting], message });
      }
    }),
  MAX_STEPS,
  ({ key }) => ({ key }),
);
