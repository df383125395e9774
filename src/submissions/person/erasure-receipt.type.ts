import { Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../graphql/connection.js';
import { listCost } from '../../graphql/cost.js';
import type { ErasureCheck, ErasureCounts } from './erasure-receipt.js';
import { ErasureOfWebsiteType } from './person.type.js';

const UNCOUNTED = 'null: a version recorded the receipt that did not count them.';

@ObjectType('ErasureCounts', { description: 'How many rows of each kind an erasure has deleted.' })
class ErasureCountsType implements ErasureCounts {
  @Field(() => Int, { description: 'Submissions, with their search words and recorded addresses.' })
  submissions!: number;

  @Field(() => Int, { description: 'Notifications of these submissions.' })
  notifications!: number;

  @Field(() => Int, { description: 'E-mails that accounts requested about them.' })
  requestedEmails!: number;

  @Field(() => Int, { description: "Attempts to send those e-mails, with the mail servers' words." })
  attempts!: number;

  @Field(() => Int, { description: 'Notes about them.' })
  notes!: number;

  @Field(() => Int, { description: 'Idempotency keys, with their digests of what was sent.' })
  idempotencyKeys!: number;

  @Field(() => Int, {
    nullable: true,
    description: `What mail servers reported of those e-mails; ${UNCOUNTED}`,
  })
  bounces?: number;

  @Field(() => Int, { nullable: true, description: `Deliveries to webhooks about them; ${UNCOUNTED}` })
  webhookDeliveries?: number;

  @Field(() => Int, {
    nullable: true,
    description: `Attempts at these deliveries, with what the receivers answered; ${UNCOUNTED}`,
  })
  webhookAttempts?: number;

  @Field(() => Int, { nullable: true, description: `Verdicts of the spam filter; ${UNCOUNTED}` })
  spamVerdicts?: number;

  @Field(() => Int, {
    nullable: true,
    description: `Samples by which the spam filter was taught, with their features; ${UNCOUNTED}`,
  })
  spamSamples?: number;

  @Field(() => Int, {
    nullable: true,
    description: `Rules of the spam filter that named the address; ${UNCOUNTED}`,
  })
  spamRules?: number;

  @Field(() => Int, { description: 'Visits in whose addresses or title the address stood, and was masked.' })
  visits!: number;

  @Field(() => Int, { description: 'Submissions under legal hold, which stayed.' })
  held!: number;
}

@ObjectType('ErasureReceipt', {
  description: "That a person's data was erased. It does not say whose: `checkErasure` confirms an address.",
})
export class ErasureReceiptType {
  @Field(() => ID, { description: 'Identifies the receipt.' })
  id!: string;

  @Field(() => ID, { description: 'The team whose data was erased.' })
  teamId!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Name of who did it, as it was then; null when no account did.',
  })
  erasedByName!: string | null;

  @Field(() => Date, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => Date, {
    nullable: true,
    description: 'When it ended; null while it runs, or when it broke off and has to be repeated.',
  })
  finishedAt!: Date | null;

  @Field(() => ErasureCountsType, { description: 'What was erased.' })
  counts!: ErasureCountsType;

  @Field(() => String, {
    description: "Keyed hash of the address, in hexadecimal digits; the key is this receipt's.",
  })
  addressHash!: string;

  @Field(() => [ErasureOfWebsiteType], {
    description: 'Where: the websites that the submissions came from.',
    complexity: listCost(20),
  })
  websites!: ErasureOfWebsiteType[];
}

export const ErasureReceiptConnection = connectionOf(ErasureReceiptType, 'ErasureReceipt');

@ObjectType('ErasureCheck', { description: 'The result of checking a receipt.' })
export class ErasureCheckType implements ErasureCheck {
  @Field(() => Boolean, { description: 'Whether the receipt is about the address.' })
  matches!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the erasure ended, and the receipt says what it said then.',
  })
  isIntact!: boolean;
}
