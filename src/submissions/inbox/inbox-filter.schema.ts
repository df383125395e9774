import { z } from 'zod';
import { NotificationState, SubmissionState } from '../../generated/prisma/enums.js';
import { intId, uuid } from '../../lib/id.schemas.js';
import { optional } from '../../lib/input.schema.js';
import { instant } from '../../lib/instant.schema.js';
import { isStorable } from '../../lib/text/storable-text.js';
import { emailAddress } from '../person/person.schema.js';

/** Maximum number of websites or of forms in a filter. */
const MAX_IDS = 200;

/** The search text. */
const text = z
  .string()
  .trim()
  .max(200, { error: 'must have 200 characters at most' })
  .refine((value) => (value.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2, {
    error: 'must have two letters or digits or more',
  })
  .refine(isStorable, { error: 'holds a character that is never stored' });

/** The filter that inbox, exports and statistics have in common. */
export const narrowing = z.object({
  teamId: optional(intId),
  websiteIds: optional(z.array(uuid).max(MAX_IDS)),
  formIds: optional(z.array(intId).max(MAX_IDS)),
  from: optional(instant),
  to: optional(instant),
});

/** Tells whether a period, where there is one, begins before it ends. */
export const isPeriod = ({ from, to }: { from?: Date; to?: Date }): boolean => !from || !to || from < to;

/** The filter of the inbox and of exports. An absent key does not narrow; an empty list matches nothing. */
export const inboxFilterSchema = narrowing
  .extend({
    states: optional(z.array(z.enum(SubmissionState))),
    locale: optional(z.string().regex(/^[a-z]{2,3}$/, { error: 'must be a language such as fr' })),
    text: optional(text),
    email: optional(emailAddress.toLowerCase()),
    needsReview: optional(z.boolean()),
    notificationStates: optional(z.array(z.enum(NotificationState))),
  })
  .refine(isPeriod, { path: ['to'], error: 'must be after from' });

export type InboxFilter = z.output<typeof inboxFilterSchema>;
