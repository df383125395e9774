import { Field, ID, InputType } from 'type-graphql';
import { NotificationState, SubmissionState } from '../../generated/prisma/enums.js';
import { readInput } from '../../graphql/read-input.js';
import { type InboxFilter, inboxFilterSchema } from './inbox-filter.schema.js';

@InputType({ description: 'What an inbox is narrowed by: a submission has to fit everything that is given.' })
export class SubmissionFilter {
  @Field(() => ID, {
    nullable: true,
    description: 'Only of this team; else of every team that the viewer sees.',
  })
  teamId?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Only from one of these websites, 200 at most.' })
  websiteIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only of one of these forms, 200 at most.' })
  formIds?: string[] | null;

  @Field(() => [SubmissionState], { nullable: true, description: 'Only in one of these states.' })
  states?: SubmissionState[] | null;

  @Field(() => String, { nullable: true, description: 'Only in this language, as in `fr`.' })
  locale?: string | null;

  @Field(() => Date, { nullable: true, description: 'Recorded then or later.' })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Recorded before then.' })
  to?: Date | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Only with all of these words in what was sent, in any order, of the last one the first three letters or ' +
      'more, or with this telephone number; case, accents and punctuation do not count. Up to 200 characters, two ' +
      'of them letters or digits.',
  })
  text?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only with this address in an e-mail field, in any case of letters.',
  })
  email?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether it was let through without a verdict.' })
  needsReview?: boolean | null;

  @Field(() => [NotificationState], {
    nullable: true,
    description: 'Only if its e-mail is in one of these states.',
  })
  notificationStates?: NotificationState[] | null;
}

/** Reads the argument `filter` of an operation. @throws 422 that names every faulty path. */
export const readFilter = (filter: SubmissionFilter | null): InboxFilter =>
  readInput(inboxFilterSchema, filter ?? {}, 'filter');
