import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { WebhookDeliveryState, WebhookState } from '../generated/prisma/enums.js';
import { connectionOf } from '../graphql/connection.js';
import type { DeliveryType, WebhookEvent } from './webhook-events.js';
import type { ListedDelivery, ListedWebhook } from './webhooks.service.js';

/** Enum values cannot carry a dot, so the panel says `form_changed` where a message says `form.changed`. */
const WebhookEventName = {
  submission_created: 'submission.created',
  submission_state_changed: 'submission.state_changed',
  submission_deleted: 'submission.deleted',
  notification_failed: 'notification.failed',
  form_changed: 'form.changed',
} as const satisfies Record<string, WebhookEvent>;

registerEnumType(WebhookEventName, {
  name: 'WebhookEvent',
  description: 'What a webhook can be told of.',
  valuesConfig: {
    submission_created: { description: '`submission.created`: a submission was recorded.' },
    submission_state_changed: { description: '`submission.state_changed`: it was given another state.' },
    submission_deleted: { description: '`submission.deleted`: it was deleted.' },
    notification_failed: { description: '`notification.failed`: an e-mail about it has failed for good.' },
    form_changed: { description: '`form.changed`: a form was created, saved, restored or deleted.' },
  },
});

registerEnumType(WebhookState, {
  name: 'WebhookState',
  description: 'Whether a webhook is told of events.',
  valuesConfig: {
    active: { description: 'It is.' },
    paused: { description: 'An account has disabled it.' },
    gone: { description: 'Its receiver answered 410, which disables it.' },
    failing: { description: 'Everything failed for five days, which disables it.' },
  },
});

registerEnumType(WebhookDeliveryState, {
  name: 'WebhookDeliveryState',
  description: 'What became of a delivery.',
  valuesConfig: {
    pending: { description: 'It waits for its turn or for its next attempt.' },
    delivered: { description: 'The receiver answered with a 2xx.' },
    failed: { description: 'It was tried in vain to the end, or its webhook was disabled meanwhile.' },
  },
});

@ObjectType('WebhookNarrowing', { description: 'A website or a form that a webhook is narrowed to.' })
export class WebhookNarrowingType {
  @Field(() => ID, { description: 'Identifies it.' })
  id!: string | number;

  @Field(() => String, {
    nullable: true,
    description: 'Its name; null: it is gone, and the webhook is told of nothing of it.',
  })
  name!: string | null;
}

@ObjectType('Webhook', { description: 'An endpoint of a team that is told of events, without its secret.' })
export class WebhookType
  implements Omit<ListedWebhook, 'events' | 'formerSecrets' | 'lastFailedAt' | 'disableAt'>
{
  @Field(() => ID, { description: 'Identifies the webhook.' })
  id!: string;

  @Field(() => ID, { description: 'The team that it is of.' })
  teamId!: number;

  @Field(() => String, { description: 'The address that messages are sent to.' })
  url!: string;

  @Field(() => String, { description: 'What it is for.' })
  description!: string;

  @Field(() => [WebhookEventName], { description: 'What it is told of.' })
  events!: WebhookEvent[];

  @Field(() => [ID], { description: 'The websites that it is narrowed to; none: all of the team.' })
  websiteIds!: string[];

  @Field(() => [ID], { description: 'The forms that it is narrowed to; none: all of the team.' })
  formIds!: number[];

  @Field(() => WebhookState, { description: 'Whether it is told of events.' })
  state!: WebhookState;

  @Field(() => Date, {
    nullable: true,
    description: 'The first failure since its last success; null: there is none.',
  })
  failingSince!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Until when the secret before the last rotation signs as well; null: it does not.',
    deprecationReason: 'Use formerSecretsUntil, which has every former secret.',
  })
  previousUntil!: Date | null;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;
}

@ObjectType('WebhookWithSecret', { description: 'A webhook whose secret has just been drawn.' })
export class WebhookWithSecretType {
  @Field(() => WebhookType, { description: 'The webhook.' })
  webhook!: WebhookType;

  @Field(() => String, { description: 'Its secret, `whsec_…`. It is shown now and never again.' })
  secret!: string;
}

@ObjectType('WebhookAttempt', { simpleResolvers: true, description: 'An attempt at a delivery.' })
export class WebhookAttemptType {
  @Field(() => Int, { description: 'Its number, from 1.' })
  number!: number;

  @Field(() => Int, { nullable: true, description: 'The status of the answer; null: there was none.' })
  status!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why there was no answer, as a stable word such as `timeout`; null: there was one.',
  })
  fault!: string | null;

  @Field(() => String, {
    description: 'The first 1,024 bytes of the answer, or the words of the network error.',
  })
  answer!: string;

  @Field(() => Date, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => String, { description: 'Its `webhook-timestamp`: when it began, in seconds since 1970.' })
  timestamp!: string;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs!: number;
}

@ObjectType('WebhookDelivery', { description: 'An event for a webhook.' })
export class WebhookDeliveryType implements Pick<ListedDelivery, 'id' | 'state' | 'submissionId'> {
  @Field(() => ID, { description: 'The `webhook-id` of every attempt.' })
  id!: string;

  @Field(() => String, { description: 'The type of the event, such as `submission.created`.' })
  type!: DeliveryType;

  @Field(() => ID, {
    nullable: true,
    description: 'The submission that it is about; null: it is about something else, or its deletion.',
  })
  submissionId!: string | null;

  @Field(() => WebhookDeliveryState, { description: 'What became of it.' })
  state!: WebhookDeliveryState;

  @Field(() => Date, { description: 'When the event happened.' })
  createdAt!: Date;
}

export const WebhookDeliveryConnection = connectionOf(WebhookDeliveryType, 'WebhookDelivery');

@InputType({ description: 'The settings of a webhook.' })
export class WebhookInput {
  @Field(() => String, {
    description:
      'The address that messages are sent to: https, or http to an address that OUTBOUND_ALLOW names. 2,048 ' +
      'characters at most.',
  })
  url!: string;

  @Field(() => [WebhookEventName], { description: 'What it is told of; one at least.' })
  events!: WebhookEvent[];

  @Field(() => [ID], {
    nullable: true,
    description: 'Websites of the team that it is narrowed to, which does not concern `form_changed`.',
  })
  websiteIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Forms of the team that it is narrowed to.' })
  formIds?: string[] | null;

  @Field(() => String, { nullable: true, description: 'What it is for; 255 characters at most.' })
  description?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is told of events; without it, it is. Disabling it ends what waits for it.',
  })
  enabled?: boolean | null;
}
