/** The types of events that an endpoint can be told of. */
export const WEBHOOK_EVENTS = [
  'submission.created',
  'submission.state_changed',
  'submission.deleted',
  'notification.failed',
  'form.changed',
] as const;

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The type of the event that an account sends to try an endpoint. It is sent once, also to a disabled endpoint. */
export const TEST_EVENT = 'webhook.test';

/** The type of a delivery. */
export type DeliveryType = WebhookEvent | typeof TEST_EVENT;
