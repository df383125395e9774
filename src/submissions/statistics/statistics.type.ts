import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { CaptchaVerdict, NotificationState } from '../../generated/prisma/enums.js';
import type { DayCount, FormCount, LinkCount, OutcomeCount, SilentWebsite } from './statistics.queries.js';

registerEnumType(CaptchaVerdict, {
  name: 'CaptchaVerdict',
  description: 'What a captcha link said, or what followed from it.',
  valuesConfig: {
    accepted: { description: 'The token was right.' },
    refused: { description: 'The token was wrong.' },
    unavailable: { description: 'The provider failed.' },
    fallback: { description: 'After a failure the visitor was sent on to the next link.' },
    pass_through: { description: 'After a failure of the last link the submission went through.' },
  },
});

@InputType({ description: 'What figures are about: everything that a viewer sees, or less.' })
export class StatisticsFilter {
  @Field(() => ID, { nullable: true, description: 'Only this team.' })
  teamId?: string | null;

  @Field(() => [ID], { nullable: true, description: 'Only these websites, 200 at most.' })
  websiteIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only these forms, 200 at most.' })
  formIds?: string[] | null;

  @Field(() => Date, {
    nullable: true,
    description: 'From then on; 30 days before the end if not given, 366 at most.',
  })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Before then; now if not given.' })
  to?: Date | null;
}

@ObjectType('DayCount', { description: 'How many submissions came on a day.' })
export class DayCountType implements DayCount {
  @Field(() => String, { description: 'The day in the time zone of the website, as in `2026-11-21`.' })
  day!: string;

  @Field(() => Int, { description: 'So many.' })
  count!: number;
}

@ObjectType('FormCount', { description: 'How many submissions came through a form on a website.' })
export class FormCountType implements FormCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => ID, { description: 'The form.' })
  formId!: number;

  @Field(() => Int, { description: 'So many.' })
  count!: number;
}

@ObjectType('NotificationOutcome', { description: 'How many e-mails are in a state.' })
export class NotificationOutcomeType implements OutcomeCount {
  @Field(() => NotificationState, { description: 'The state.' })
  state!: NotificationState;

  @Field(() => Int, { description: 'So many.' })
  count!: number;
}

@ObjectType('CaptchaVerdictCount', { description: 'How often a captcha link said something.' })
export class CaptchaVerdictCountType implements LinkCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => String, { description: 'Key of the link, as in `turnstile:main`.' })
  linkKey!: string;

  @Field(() => CaptchaVerdict, { description: 'What it said, or what followed.' })
  verdict!: CaptchaVerdict;

  @Field(() => Int, { description: 'So often.' })
  count!: number;
}

@ObjectType('SilentWebsite', { description: 'A website from which nothing comes any more.' })
export class SilentWebsiteType implements SilentWebsite {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => ID, { description: 'Its team.' })
  teamId!: number;

  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => Date, { description: 'When the last submission came.' })
  lastSubmissionAt!: Date;

  @Field(() => Float, { description: 'The usual pause between two submissions, in seconds.' })
  usualPauseS!: number;

  @Field(() => Float, { description: 'How long nothing has come, in seconds.' })
  silentForS!: number;
}
