import { Field, Int, ObjectType } from 'type-graphql';
import { NotificationState, SubmissionState } from '../../generated/prisma/enums.js';
import type { Count } from './inbox.service.js';

@ObjectType('SubmissionCount', { description: 'How many submissions there are.' })
export class SubmissionCountType implements Count {
  @Field(() => Int, { description: 'The count; a lower bound when it is not exact.' })
  count!: number;

  @Field(() => Boolean, { description: 'Whether the count is exact.' })
  isExact!: boolean;
}

@ObjectType('StateCount', { description: 'How many submissions are in a state.' })
class StateCountType extends SubmissionCountType {
  @Field(() => SubmissionState, { description: 'The state.' })
  state!: SubmissionState;
}

@ObjectType('UnsentCount', { description: 'How many e-mails ended in a state without having been sent.' })
export class UnsentCountType extends SubmissionCountType {
  @Field(() => NotificationState, { description: 'The state.' })
  state!: NotificationState;
}

@ObjectType('SubmissionCounts', {
  description:
    'How many submissions a filter finds. A state is counted exactly up to 10,000; with a text, a state of the ' +
    'notification or without those that need review, 5,000 are counted in all.',
})
export class SubmissionCountsType {
  @Field(() => Int, { description: 'The count of all states; a lower bound when it is not exact.' })
  total!: number;

  @Field(() => Boolean, { description: 'Whether the total is exact.' })
  isExact!: boolean;

  @Field(() => [StateCountType], { description: 'The count of each state that the filter includes.' })
  byState!: StateCountType[];
}
