import type { WebhookEvent } from './queries.js';

/** The events that a webhook can be told of, as the interface names them. */
export const EVENTS: readonly WebhookEvent[] = [
  'submission_created',
  'submission_state_changed',
  'submission_deleted',
  'notification_failed',
  'form_changed',
];

/** Returns the text of a delivery's type, such as `submission.created`; undefined: a newer gateway's. */
export const eventTextOf = (type: string) =>
  ([...EVENTS, 'webhook_test'] as const)
    .map((event) => `webhooks.event.${event}` as const)
    .find((id) => id === `webhooks.event.${type.replace('.', '_')}`);
