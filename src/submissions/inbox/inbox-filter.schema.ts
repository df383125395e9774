import { z } from 'zod';
import { NotificationState, SubmissionState } from '../../generated/prisma/enums.js';
import { readInput } from '../../graphql/read-input.js';
import { emailAddress } from '../person/person.schema.js';

/** Maximum number of websites or of forms in a filter. */
const MAX_IDS = 200;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const MAX_INT_ID = 2 ** 31 - 1;

const intId = z.coerce.number({ error: 'must be an id' }).int().min(1).max(MAX_INT_ID);

const websiteId = z
  .string()
  .regex(UUID, { error: 'must be an id' })
  .transform((id) => id.toLowerCase());

/** The search text. */
const text = z
  .string()
  .trim()
  .max(200, { error: 'must have 200 characters at most' })
  .refine((value) => (value.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2, {
    error: 'must have two letters or digits or more',
  })
  .refine((value) => !/\0|\p{Surrogate}/u.test(value), { error: 'holds a character that is never stored' });

/** An argument that may be left out or null. */
export const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** An instant that PostgreSQL can hold, together with everything that is computed from it. */
export const instant = z.coerce
  .date({ error: 'must be a date and time' })
  .min(new Date('1970-01-01T00:00:00Z'), { error: 'must be in 1970 or later' })
  .max(new Date('9999-12-30T00:00:00Z'), { error: 'must be before the year 10000' });

/** The filter that inbox, exports and statistics have in common. */
export const narrowing = z.object({
  teamId: optional(intId),
  websiteIds: optional(z.array(websiteId).max(MAX_IDS)),
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

/** Reads the argument `filter` of an operation. @throws 422 that names every faulty path. */
export const readFilter = (filter: object | null): InboxFilter =>
  readInput(inboxFilterSchema, filter ?? {}, 'filter');
