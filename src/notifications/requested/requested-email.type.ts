import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { RequestedEmail } from '../../generated/prisma/client.js';
import { NotificationState, RequestedEmailKind } from '../../generated/prisma/enums.js';
import { listCost } from '../../graphql/cost.js';
import { EmailRecipientType, NotificationAttemptType } from '../notification.type.js';

registerEnumType(RequestedEmailKind, {
  name: 'RequestedEmailKind',
  description: 'How an e-mail about a submission was requested beside its notification.',
  valuesConfig: {
    sent_again: { description: 'To recipients that the notification had.' },
    forwarded: { description: 'To addresses that the account typed.' },
  },
});

@ObjectType('RequestedEmail', {
  simpleResolvers: true,
  description:
    'An e-mail about a submission that an account requested beside the notification: another message.',
})
export class RequestedEmailType
  implements Pick<RequestedEmail, 'id' | 'submissionId' | 'kind' | 'note' | 'state' | 'sentAt' | 'createdAt'>
{
  @Field(() => ID, { description: 'Identifies the e-mail; its Message-ID begins with it.' })
  id!: string;

  @Field(() => ID, { description: 'The submission it is about.' })
  submissionId!: string;

  @Field(() => RequestedEmailKind, { description: 'How it was requested.' })
  kind!: RequestedEmailKind;

  @Field(() => String, { nullable: true, description: 'What was written above a forwarded submission.' })
  note!: string | null;

  @Field(() => NotificationState, { description: 'What became of it.' })
  state!: NotificationState;

  @Field(() => Date, { nullable: true, description: 'When the mail server accepted it.' })
  sentAt!: Date | null;

  @Field(() => Date, { description: 'When it was requested.' })
  createdAt!: Date;

  @Field(() => ID, { nullable: true, description: 'Account that requested it; null when it is gone.' })
  requestedById!: number | null;

  @Field(() => String, { nullable: true, description: 'Name of who requested it.' })
  requestedByName!: string | null;

  @Field(() => [EmailRecipientType], {
    description: 'What became of it for each recipient.',
    complexity: listCost(3),
  })
  recipients!: EmailRecipientType[];

  @Field(() => [NotificationAttemptType], {
    description: 'Every attempt that has ended, the first one first.',
    complexity: listCost(3),
  })
  attempts!: NotificationAttemptType[];
}
