import { z } from 'zod';
import { InjectionPosition } from '../../generated/prisma/enums.js';
import { email, mapping, text } from '../../lib/input.schema.js';
import { recipientRules } from '../recipients/recipient-rule.schema.js';
import { isPlainStyle, isPlainWrapper, namesWebOnly } from './placement-markup.js';

/** Schema of a placement's settings, shared by every way of setting them. */
export const PLACEMENT_SCHEMA = {
  enabled: z.boolean().default(true),
  cssSelector: text(500, 1)
    .refine(namesWebOnly, { error: 'must not name an address but http or https' })
    .nullable()
    .default(null),
  injectionPosition: z.enum(InjectionPosition).default('inside'),
  htmlWrapper: text(10_000, 1)
    .refine(isPlainWrapper, {
      error:
        'may hold grouping elements with class, id, role, title, lang, dir, aria-* and data-* only; ' +
        'addresses http or https',
    })
    .nullable()
    .default(null),
  appearance: mapping(
    z
      .string()
      .max(100)
      .regex(/^--[\w-]+$/, { error: 'must start with --' }),
    text(1000).refine(isPlainStyle, { error: 'must be one plain value; addresses http or https' }),
  ).default({}),
  confirmationMessage: text(5000, 1).nullable().default(null),
  recipients: z.array(email).max(50).nullable().default([]),
  recipientRules: recipientRules.default([]),
};

/** Schema of a whole placement: a setting that is left out takes its default. */
export const placementSettings = z.strictObject(PLACEMENT_SCHEMA);
