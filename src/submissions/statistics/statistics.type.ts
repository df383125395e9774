import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { CaptchaVerdict, NotificationState } from '../../generated/prisma/enums.js';
import type {
  DayCount,
  FormCount,
  LanguageCount,
  OutcomeCount,
  SilentWebsite,
  VerdictCount,
} from './statistics.queries.js';

registerEnumType(CaptchaVerdict, {
  name: 'CaptchaVerdict',
  description: 'The verdict on a captcha step, or its consequence.',
  valuesConfig: {
    accepted: { description: 'The token was right.' },
    refused: { description: 'The token was wrong.' },
    unavailable: { description: 'The provider failed.' },
    fallback: { description: 'The step failed, so the visitor was referred to the next step.' },
    pass_through: { description: 'The last step failed, so the submission was accepted without a verdict.' },
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

  @Field(() => String, {
    nullable: true,
    description:
      'Instead of from and to: the first day, as in `2026-11-01`, of each website in its own time zone.',
  })
  firstDay?: string | null;

  @Field(() => String, { nullable: true, description: 'The last of these days, 365 later at most.' })
  lastDay?: string | null;
}

@ObjectType('DayCount', { description: 'How many submissions came on a day, without spam.' })
export class DayCountType implements DayCount {
  @Field(() => String, { description: 'The day in the time zone of the website, as in `2026-11-21`.' })
  day!: string;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('FormCount', {
  description: 'How many submissions came through a form on a website, without spam.',
})
export class FormCountType implements FormCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => ID, { description: 'The form.' })
  formId!: number;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('LanguageCount', { description: 'How many submissions were sent in a language.' })
export class LanguageCountType implements LanguageCount {
  @Field(() => String, { description: 'The language, as in `fr`.' })
  locale!: string;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('NotificationOutcome', { description: 'How many e-mails are in a state.' })
export class NotificationOutcomeType implements OutcomeCount {
  @Field(() => NotificationState, { description: 'The state.' })
  state!: NotificationState;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('CaptchaVerdictCount', { description: 'The number of verdicts of one kind on a captcha step.' })
export class CaptchaVerdictCountType implements VerdictCount {
  @Field(() => ID, { description: 'The website.' })
  websiteId!: string;

  @Field(() => String, { name: 'linkKey', description: 'Key of the step, as in `turnstile:main`.' })
  stepKey!: string;

  @Field(() => CaptchaVerdict, { description: 'The verdict, or its consequence.' })
  verdict!: CaptchaVerdict;

  @Field(() => Int, { description: 'The count.' })
  count!: number;
}

@ObjectType('SilentWebsite', { description: 'A website that has stopped sending submissions.' })
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
