import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { SubmissionBreakdown, SubmissionBreakdownItem } from './statistics.service.js';

/** As `SubmissionBreakdownKey`. */
export enum SubmissionBreakdownBy {
  WEBSITE = 'website',
  FORM = 'form',
}

registerEnumType(SubmissionBreakdownBy, {
  name: 'SubmissionBreakdownBy',
  description: 'What submissions are broken down by.',
  valuesConfig: {
    WEBSITE: { description: 'By the website that they came from.' },
    FORM: { description: 'By the form that they came through, on every website.' },
  },
});

@ObjectType('SubmissionBreakdownItem', { description: 'A website or a form with its submissions.' })
class SubmissionBreakdownItemType implements SubmissionBreakdownItem {
  @Field(() => ID, { description: 'The id of the website or form.' })
  id!: string;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { description: 'Submissions without spam.' })
  submissions!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Submissions of the days before; null when none were named.',
  })
  submissionsBefore!: number | null;
}

@ObjectType('SubmissionBreakdown', { description: 'The submissions of a period, by website or form.' })
export class SubmissionBreakdownType implements SubmissionBreakdown {
  @Field(() => Int, { description: 'How many items there are, listed or not.' })
  total!: number;

  // The query `submissionBreakdown` counts what its items cost.
  @Field(() => [SubmissionBreakdownItemType], {
    description: 'The items with the highest counts, the most first.',
    complexity: ({ childComplexity }) => childComplexity,
  })
  items!: SubmissionBreakdownItemType[];
}
