import { z } from 'zod';
import { optional, text } from '../../lib/input.schema.js';
import { inboxFilterSchema } from '../inbox/inbox-filter.schema.js';

const EMAIL_ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]/;

export const viewName = text(100)
  .trim()
  .min(1, { error: 'must not be empty' })
  .refine((name) => !/\p{Cc}/u.test(name), { error: 'must be one line' });

/** A view's filter. An address in its text would outlive the erasure of the person. */
export const viewSchema = z.object({
  filter: inboxFilterSchema
    .refine(({ email }) => email === undefined, { path: ['email'], error: 'is not kept in a view' })
    .refine(({ text: searched = '' }) => !EMAIL_ADDRESS.test(searched), {
      path: ['text'],
      error: 'must not hold an e-mail address, since the view is kept',
    }),
  lastDays: optional(z.int().min(1).max(3_650)),
});
