import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { z } from 'zod';
import type { Plan } from '../generated/prisma/client.js';
import { label, slug } from '../lib/input.schema.js';
import type { MonthlyUsage } from './usage.queries.js';

@ObjectType('Plan', { description: 'What a team may use.' })
export class PlanType implements Plan {
  @Field(() => ID, { description: 'Identifies the plan.' })
  id!: number;

  @Field(() => String, { description: 'Names the plan in provision documents.' })
  code!: string;

  @Field(() => String, { description: 'Name of the plan.' })
  name!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Notification e-mails in a calendar month (UTC); null: as many as there are.',
  })
  notificationsPerMonth!: number | null;

  @Field(() => Int, { description: 'Submissions a minute, for each website and visitor address.' })
  submissionsPerMinute!: number;

  @Field(() => Int, { description: 'Submissions an hour, for each website.' })
  submissionsPerHour!: number;
}

@ObjectType('MonthlyUsage', { description: 'What a team used in a calendar month (UTC).' })
export class MonthlyUsageType implements MonthlyUsage {
  @Field(() => String, { description: 'The month, as in 2026-11.' })
  month!: string;

  @Field(() => Int, {
    description:
      'Leads without spam. In the present month those that are there; in a past one all that came, by the days of their ' +
      'websites, also those deleted since, and those of websites and forms that are deleted.',
  })
  submissions!: number;

  @Field(() => Int, { description: 'Notification e-mails that count against the plan.' })
  notificationsUsed!: number;

  @Field(() => Int, { description: 'Leads whose e-mail the quota has held back, as far as they are there.' })
  held!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'What the plan of today allows for notifications; null: as many as there are.',
  })
  limit!: number | null;
}

@InputType({
  description: 'A new plan. Limits left out are 5 a minute and 1000 an hour, without one a month.',
})
export class CreatePlanInput {
  @Field(() => String, { description: 'Up to 100 letters, digits, - and _; unique.' })
  code!: string;

  @Field(() => String, { description: 'Name of the plan.' })
  name!: string;

  @Field(() => Int, { nullable: true, description: 'Notification e-mails a month; null: no limit.' })
  notificationsPerMonth?: number | null;

  @Field(() => Int, { nullable: true, description: 'Submissions a minute, for each website and address.' })
  submissionsPerMinute?: number;

  @Field(() => Int, { nullable: true, description: 'Submissions an hour, for each website.' })
  submissionsPerHour?: number;
}

@InputType({ description: 'What changes of a plan; what is left out stays.' })
export class UpdatePlanInput {
  @Field(() => String, { nullable: true, description: 'Name of the plan.' })
  name?: string;

  @Field(() => Int, { nullable: true, description: 'Notification e-mails a month; null: no limit.' })
  notificationsPerMonth?: number | null;

  @Field(() => Int, { nullable: true, description: 'Submissions a minute, for each website and address.' })
  submissionsPerMinute?: number;

  @Field(() => Int, { nullable: true, description: 'Submissions an hour, for each website.' })
  submissionsPerHour?: number;
}

const count = z.int().min(0);

/** Schema of a plan's settings as sent; null means no limit, and has no meaning for other settings. */
export const planSettings = z.object({
  name: label.optional(),
  notificationsPerMonth: count.nullable().optional(),
  submissionsPerMinute: count.min(1).optional(),
  submissionsPerHour: count.min(1).optional(),
});

export const newPlan = planSettings.extend({ code: slug, name: label });
