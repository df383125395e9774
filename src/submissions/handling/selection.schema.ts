import { z } from 'zod';
import { optional } from '../../lib/input.schema.js';
import { instant } from '../../lib/instant.schema.js';
import { MAX_EMAIL_LENGTH } from '../../lib/text/email-address.js';
import { inboxFilterSchema } from '../inbox/inbox-filter.schema.js';

/** Maximum number of submissions in one change. */
export const MAX_SELECTED = 500;

/** Ids of submissions, which are still to be read with `uuidId`. */
export const idList = z
  .array(z.string())
  .min(1, { error: 'must not be empty' })
  .max(MAX_SELECTED, { error: `holds ${MAX_SELECTED} at most` });

/** The submissions that a change is about: by their ids, or all that a filter finds. */
export const selectionSchema = z
  .object({
    ids: optional(idList),
    filter: optional(inboxFilterSchema),
    createdBefore: optional(instant),
    after: optional(z.string()),
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    path: ['filter'],
    error: 'is to be given, or else ids',
  })
  .refine(({ ids, createdBefore, after }) => !ids || (createdBefore ?? after) === undefined, {
    path: ['ids'],
    error: 'go with neither createdBefore nor after',
  });

/** Recipients to whom sent e-mails go again; what they had is compared with these as it is written. */
export const chosenRecipients = optional(
  z
    .array(z.string().max(MAX_EMAIL_LENGTH, { error: `has ${MAX_EMAIL_LENGTH} characters at most` }))
    .min(1, { error: 'must not be empty' })
    .max(50, { error: 'holds 50 at most' }),
);
