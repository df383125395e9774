import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { SubmissionState } from '../../generated/prisma/enums.js';
import { listCost } from '../../graphql/cost.js';
import { SubmissionFilter } from '../inbox/inbox-filter.type.js';

@InputType({
  description:
    'Which submissions a change is about: either `ids`, or all that a `filter` finds in the teams that the viewer ' +
    'manages. Of the latter a call takes the next 500, the newest first.',
})
export class SubmissionSelection {
  @Field(() => [ID], {
    nullable: true,
    description:
      "Submissions of teams that the viewer manages, 500 at most. Those that are gone, or not the viewer's to see, " +
      'are skipped, which `matched` tells.',
  })
  ids?: string[] | null;

  @Field(() => SubmissionFilter, { nullable: true, description: 'All that it finds.' })
  filter?: SubmissionFilter | null;

  @Field(() => Date, {
    nullable: true,
    description:
      'Only those recorded before then, such as when the list was read. What comes after the first call is never ' +
      'part of it.',
  })
  createdBefore?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: '`next` of the last answer, where this call goes on; null: the first call.',
  })
  after?: string | null;
}

@ObjectType('Portion')
abstract class PortionType {
  @Field(() => Int, { description: 'How many submissions this call was about, of those that exist.' })
  matched!: number;

  @Field(() => String, {
    nullable: true,
    description:
      'Where the next call goes on, as its `after`; null: nothing is left. A call whose answer was lost may be ' +
      'repeated.',
  })
  next!: string | null;
}

@ObjectType('SubmissionsOfState', { description: 'Submissions of a state.' })
export class SubmissionsOfStateType {
  @Field(() => SubmissionState, { description: 'The state.' })
  state!: SubmissionState;

  @Field(() => [ID], { description: 'The submissions.' })
  ids!: string[];
}

@ObjectType('SelectedStateSet', { description: 'The submissions that were given a state.' })
export class SelectedStateSetType extends PortionType {
  @Field(() => Int, { description: 'How many of them had another state before.' })
  changed!: number;

  @Field(() => [SubmissionsOfStateType], {
    description:
      'Those, by the state that they had: giving it to them again undoes the change. With the state that they have ' +
      'now as `expectedState`, what was changed meanwhile stays.',
    complexity: listCost(5),
  })
  previous!: SubmissionsOfStateType[];

  @Field(() => [SubmissionsOfStateType], {
    description: 'Those that were no longer in the `expectedState`, by the state that they keep.',
    complexity: listCost(5),
  })
  skipped!: SubmissionsOfStateType[];
}

@ObjectType('SelectedDeleted', { description: 'The submissions that were deleted.' })
export class SelectedDeletedType extends PortionType {
  @Field(() => Int, { description: 'How many of them were deleted; the others are under legal hold.' })
  deleted!: number;
}

export const SendAgainOutcome = {
  handed_over: 'handed_over',
  nothing_to_send: 'nothing_to_send',
  quota_used_up: 'quota_used_up',
} as const;

export type SendAgainOutcome = keyof typeof SendAgainOutcome;

registerEnumType(SendAgainOutcome, {
  name: 'SendAgainOutcome',
  description: 'What became of asking for an e-mail again.',
  valuesConfig: {
    handed_over: { description: 'It is on its way.' },
    nothing_to_send: { description: 'It was sent, still is to be, or is of spam.' },
    quota_used_up: {
      description:
        "The plan's quota has no unit left: that of the submission's month for an e-mail that is held, that of this " +
        'month for another message.',
    },
  },
});

@ObjectType('SubmissionsOfOutcome', { description: 'Submissions for whose e-mails asking had an outcome.' })
class SubmissionsOfOutcomeType {
  @Field(() => SendAgainOutcome, { description: 'The outcome.' })
  outcome!: SendAgainOutcome;

  @Field(() => [ID], { description: 'The submissions.' })
  ids!: string[];

  @Field(() => [String], {
    description:
      'The months whose quota is used up, as in 2026-11, the earliest one first; none of another outcome.',
  })
  months!: string[];
}

@ObjectType('SelectedSentAgain', { description: 'The submissions whose e-mails were asked for again.' })
export class SelectedSentAgainType extends PortionType {
  @Field(() => [SubmissionsOfOutcomeType], {
    description: 'What became of it, by outcome.',
    complexity: listCost(4),
  })
  outcomes!: SubmissionsOfOutcomeType[];
}
