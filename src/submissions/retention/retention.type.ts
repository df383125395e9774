import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import type { MonthCount, Run } from './retention.queries.js';
import type { RetentionPreview } from './retention.service.js';

@ObjectType('RetentionOfForm', { description: 'For how long the submissions of a form are kept.' })
class RetentionOfFormType {
  @Field(() => ID, { description: 'The form.' })
  formId!: number;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Int, { nullable: true, description: "Its own months; null: it follows its team's." })
  retentionMonths!: number | null;
}

@ObjectType('RetentionRun', { description: "A day's deletion of expired submissions, of every team." })
class RetentionRunType implements Pick<Run, 'startedAt' | 'finishedAt'> {
  @Field(() => Date, { description: 'When it began.' })
  startedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it ended; null while it runs.' })
  finishedAt!: Date | null;
}

@ObjectType('Retention', { description: 'For how long the submissions of a team are kept.' })
export class RetentionType {
  @Field(() => Int, {
    nullable: true,
    description: "Months after a person's last contact with the team; null: for ever.",
  })
  retentionMonths!: number | null;

  @Field(() => [RetentionOfFormType], {
    description: 'The forms of the team, by their names.',
    complexity: listCost(20),
  })
  forms!: RetentionOfFormType[];

  @Field(() => String, {
    description: 'Version of the periods, which every change changes; for `saveRetention`.',
  })
  version!: string;

  @Field(() => RetentionRunType, {
    nullable: true,
    description: 'The latest deletion; null before the first.',
  })
  latestRun!: RetentionRunType | null;
}

@ObjectType('RetentionMonth', { description: 'What becomes due in a month.' })
class RetentionMonthType implements MonthCount {
  @Field(() => String, { description: 'The month (UTC), as in `2026-11`.' })
  month!: string;

  @Field(() => Int, {
    description: 'Submissions whose own period ends then; those of persons who come again stay for longer.',
  })
  submissions!: number;
}

@ObjectType('RetentionPreview', { description: 'What settings would delete.' })
export class RetentionPreviewType implements RetentionPreview {
  @Field(() => Int, {
    description: 'Submissions that the next run deletes; a lower bound when it is not exact.',
  })
  due!: number;

  @Field(() => Int, { description: 'Expired submissions that stay because they are under legal hold.' })
  held!: number;

  @Field(() => Boolean, { description: 'Whether both are exact: up to 10,000 expired submissions they are.' })
  isExact!: boolean;

  @Field(() => [RetentionMonthType], {
    description: 'The next twelve months in which submissions become due, the first one first.',
    complexity: listCost(12),
  })
  months!: RetentionMonthType[];
}

@InputType({ description: 'The period of a form.' })
class FormRetentionInput {
  @Field(() => ID, { description: 'The form.' })
  formId!: string;

  @Field(() => Int, { description: '1 to 1,200 months, in place of the months of the team.' })
  retentionMonths!: number;
}

@InputType({ description: "The periods of a team and its forms; forms that are left out follow the team's." })
export class RetentionInput {
  @Field(() => Int, { nullable: true, description: '1 to 1,200 months; null: for ever.' })
  retentionMonths?: number | null;

  @Field(() => [FormRetentionInput], { defaultValue: [], description: 'Forms with a period of their own.' })
  forms!: FormRetentionInput[];
}
