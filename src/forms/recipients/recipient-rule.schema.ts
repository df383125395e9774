import { z } from 'zod';
import { email } from '../../lib/input.schema.js';
import { condition, MAX_COUNTS } from '../definition/form.schema.js';
import { MAX_RECIPIENT_RULES } from './recipient-rules.js';

/** Schema of the recipient rules of a form or of a placement, shared by every way of setting them. */
export const recipientRules = z
  .array(z.strictObject({ when: condition, recipients: z.array(email).min(1).max(MAX_COUNTS.recipients) }))
  .max(MAX_RECIPIENT_RULES);
