import { z } from 'zod';
import { orNull, uniqueList } from '../../lib/input.schema.js';

/** The longest period, a hundred years: for a form that is kept although its team's submissions are not. */
const MAX_MONTHS = 1_200;

/** Months for which submissions are kept after the person's last contact. */
export const retentionMonths = z
  .int()
  .min(1, { error: 'must be at least 1' })
  .max(MAX_MONTHS, { error: `must be at most ${MAX_MONTHS.toLocaleString('en')}` });

const formRetention = z.object({ formId: z.string(), retentionMonths });

/** The periods of a team, null being for ever, and of forms that have one of their own. */
export const retentionSettings = z.object({
  retentionMonths: orNull(retentionMonths),
  forms: uniqueList(formRetention, 1_000, ({ formId }) => ({ formId })),
});
