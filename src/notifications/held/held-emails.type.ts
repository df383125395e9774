import { Field, Int, ObjectType } from 'type-graphql';
import type { QuotaHeld } from './held-emails.service.js';

@ObjectType('QuotaHeld', {
  description:
    'The e-mails of a team that its quota has held back, and how that of the present month (UTC) stands.',
})
export class QuotaHeldType implements QuotaHeld {
  @Field(() => String, { description: 'The present month, as in 2026-11.' })
  month!: string;

  @Field(() => Int, {
    description:
      'Submissions of whichever month whose e-mail was held back; a lower bound when it is not exact.',
  })
  held!: number;

  @Field(() => Boolean, { description: 'Whether the count is exact: up to 10,000 it is.' })
  isExact!: boolean;

  @Field(() => Int, {
    description:
      'How many of these can be sent, since the month of their submission has a unit of the quota left.',
  })
  sendable!: number;

  @Field(() => Int, { description: 'E-mails of the present month that count against the plan.' })
  used!: number;

  @Field(() => Int, { nullable: true, description: 'What the plan allows; null: as many as there are.' })
  limit!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For how many e-mails the present month has room beside those on their way; null: for as many as there are.',
  })
  room!: number | null;
}

@ObjectType('SentHeld', { description: 'The e-mails that are sent now, and what is still held.' })
export class SentHeldType extends QuotaHeldType {
  @Field(() => Int, { description: 'How many are on their way now.' })
  handedOver!: number;
}
