import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { MatchedRuleType } from '../forms/recipients/recipient-rule.type.js';
import type { MatchedRule } from '../forms/recipients/recipient-rules.js';
import type { Notification, NotificationAttempt } from '../generated/prisma/client.js';
import { AttemptOutcome, NotificationState } from '../generated/prisma/enums.js';
import { type Recipient, RecipientState } from './recipients.js';

registerEnumType(NotificationState, {
  name: 'NotificationState',
  description: 'What became of the e-mail about a submission.',
  valuesConfig: {
    pending: { description: 'Waiting for its turn or for its next attempt.' },
    sent: { description: 'Accepted by the mail server.' },
    failed: { description: 'Refused for good, never confirmed, or retried in vain to the end.' },
    skipped_quota: { description: "The plan's quota for the month was used up." },
    no_recipient: { description: 'No recipient has an address.' },
    withheld: {
      description:
        'The submission looks like spam: the e-mail goes when its state is set to another than spam.',
    },
    bounced: {
      description: 'Accepted by the mail server, and reported as undeliverable for every recipient since.',
    },
  },
});

registerEnumType(AttemptOutcome, {
  name: 'AttemptOutcome',
  description: 'How an attempt to send an e-mail ended.',
  valuesConfig: {
    sent: { description: 'Accepted by the mail server.' },
    deferred: { description: 'A temporary answer or none: it is tried again.' },
    unknown: {
      description:
        'The mail server never confirmed the message, which may have arrived: retried after an hour, then after a day.',
    },
    failed: { description: 'A permanent refusal.' },
  },
});

registerEnumType(RecipientState, {
  name: 'RecipientState',
  description: 'What became of an e-mail for one of its recipients.',
  valuesConfig: {
    waiting: { description: 'It is to be tried, or to be tried again.' },
    accepted: { description: 'The mail server has accepted the e-mail for it.' },
    refused: { description: 'Given up: refused for good, or for now until the end.' },
    unknown: { description: 'The mail server never confirmed the e-mail, which may have arrived.' },
    delayed: { description: 'A mail server reported, after it was accepted, that it is still trying.' },
    bounced: {
      description: 'A mail server reported, after it was accepted, that it could not be delivered.',
    },
  },
});

@ObjectType('EmailRecipient', { description: 'What became of an e-mail for one of its recipients.' })
export class EmailRecipientType implements Recipient {
  @Field(() => String, { description: 'The address.' })
  address!: string;

  @Field(() => MatchedRuleType, {
    nullable: true,
    description: 'The rule that chose it; null: it is a default recipient, or was named by an account.',
  })
  rule!: MatchedRule | null;

  @Field(() => RecipientState, { description: 'What became of it.' })
  state!: RecipientState;

  @Field(() => String, {
    nullable: true,
    description:
      "The mail server's words, or the network error's, at the last attempt; null before the first.",
  })
  lastAnswer!: string | null;

  @Field(() => Date, { nullable: true, description: 'When the last attempt ended.' })
  at!: Date | null;

  @Field(() => Int, { nullable: true, description: 'How long that attempt took, in milliseconds.' })
  durationMs!: number | null;

  @Field(() => Date, { nullable: true, description: 'When it is tried next; null: no more.' })
  nextAttemptAt!: Date | null;
}

@ObjectType('NotificationAttempt', { description: 'One attempt to hand an e-mail to the mail server.' })
export class NotificationAttemptType implements Omit<NotificationAttempt, 'submissionId' | 'answers'> {
  @Field(() => Int, { description: 'The first one is 1.' })
  number!: number;

  @Field(() => AttemptOutcome, { description: 'How it ended.' })
  outcome!: AttemptOutcome;

  @Field(() => Int, { nullable: true, description: "Code of the mail server's answer, when there was one." })
  smtpCode!: number | null;

  @Field(() => String, { nullable: true, description: "The server's words, or the network error's." })
  detail!: string | null;

  @Field(() => [String], { description: 'To whom it went.' })
  recipients!: string[];

  @Field(() => Date, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => Date, { description: 'When it ended.' })
  finishedAt!: Date;
}

@ObjectType('Notification', {
  simpleResolvers: true,
  description: 'The e-mail about a submission and what became of it.',
})
export class NotificationType implements Pick<Notification, 'state' | 'sentAt' | 'createdAt'> {
  @Field(() => NotificationState, { description: 'What became of it.' })
  state!: NotificationState;

  @Field(() => Date, { description: 'When it was first requested.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted it.' })
  sentAt!: Date | null;
}
