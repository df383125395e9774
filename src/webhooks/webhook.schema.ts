import { z } from 'zod';
import { intId, uuid } from '../lib/id.schemas.js';
import { httpUrl, orNull, text } from '../lib/input.schema.js';
import { instant } from '../lib/instant.schema.js';
import type { OutboundFault } from '../lib/outbound/outbound-error.js';
import { WEBHOOK_EVENTS } from './webhook-events.js';

/** Maximum websites, or forms, that an endpoint is narrowed to. */
const MAX_NARROWED = 500;

/** Maximum deliveries that one request names. */
const MAX_REDELIVERED = 100;

/** What is wrong with an address that a call would refuse. */
const ADDRESS_FAULTS: Partial<Record<OutboundFault, string>> = {
  not_public: 'leads to a network that is not public',
  not_encrypted: 'must begin with https://',
};

const distinct = <Item>(items: Item[]): Item[] => [...new Set(items)];

/**
 * Creates the schema of an endpoint's settings.
 *
 * @param fault why a call of its address would be refused; null: it would not.
 */
export const webhookSettings = (fault: OutboundFault | null) =>
  z.object({
    url: httpUrl.refine(() => fault === null, {
      error: () => ADDRESS_FAULTS[fault!] ?? 'must be an address without a user',
    }),
    events: z.array(z.enum(WEBHOOK_EVENTS)).min(1, { error: 'must not be empty' }).transform(distinct),
    websiteIds: z
      .array(uuid)
      .max(MAX_NARROWED)
      .transform(distinct)
      .nullish()
      .transform((ids) => ids ?? []),
    formIds: z
      .array(intId)
      .max(MAX_NARROWED)
      .transform(distinct)
      .nullish()
      .transform((ids) => ids ?? []),
    description: text(255)
      .nullish()
      .transform((description) => description?.trim() ?? ''),
    enabled: z
      .boolean()
      .nullish()
      .transform((enabled) => enabled ?? true),
  });

/** The settings of an endpoint. */
export type WebhookSettings = z.output<ReturnType<typeof webhookSettings>>;

/** Which deliveries are to be sent again. */
export const redelivery = z
  .object({
    deliveryIds: orNull(z.array(uuid).min(1, { error: 'must not be empty' }).max(MAX_REDELIVERED)),
    since: orNull(instant),
  })
  .refine(({ deliveryIds, since }) => (deliveryIds === null) !== (since === null), {
    error: 'Give either deliveries or a time.',
    path: ['deliveryIds'],
  });

/** Deliveries to send again: by their ids, or all since a time. */
export type Redelivery = z.output<typeof redelivery>;
