/** The events that a webhook can be told of, as the interface names them. */
export const EVENTS = [
  'submission_created',
  'submission_state_changed',
  'submission_deleted',
  'notification_failed',
  'form_changed',
] as const;

/** Returns the text of a delivery's type, such as `submission.created`; undefined: a newer gateway's. */
export const eventTextOf = (type: string) =>
  ([...EVENTS, 'webhook_test'] as const)
    .map((event) => `webhookEvent.${event}` as const)
    .find((id) => id === `webhookEvent.${type.replace('.', '_')}`);

/** How the badge of a delivery is coloured, by its state. */
export const DELIVERY_TONES = { delivered: 'good', pending: 'neutral', failed: 'danger' } as const;
