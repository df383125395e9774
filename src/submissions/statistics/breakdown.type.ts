import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { listCost } from '../../graphql/cost.js';
import type { Breakdown, BreakdownItem } from './breakdown.service.js';
import { MAX_COURSE, type StepUnit } from './steps.js';

/** As `BreakdownKey`. */
export enum BreakdownBy {
  PAGE = 'page',
  REFERRER_HOST = 'referrer_host',
  UTM_SOURCE = 'utm_source',
  UTM_MEDIUM = 'utm_medium',
  UTM_CAMPAIGN = 'utm_campaign',
  LANGUAGE = 'language',
}

registerEnumType(BreakdownBy, {
  name: 'BreakdownBy',
  description: 'The attribute by which page views and submissions are broken down.',
  valuesConfig: {
    PAGE: { description: 'Page views by their address, without what follows `?` or `#`.' },
    REFERRER_HOST: { description: 'By the host of the page that they came from.' },
    UTM_SOURCE: { description: 'By `utm_source`.' },
    UTM_MEDIUM: { description: 'By `utm_medium`.' },
    UTM_CAMPAIGN: { description: 'By `utm_campaign`.' },
    LANGUAGE: { description: 'Submissions by the language in which they were sent, without spam.' },
  },
});

const STEP_UNITS = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const satisfies Record<string, StepUnit>;

registerEnumType(STEP_UNITS, {
  name: 'StepUnit',
  description: 'The steps in which a course is told.',
  valuesConfig: {
    DAY: { description: 'Days, for a period of at most 31.' },
    WEEK: { description: 'Weeks from Monday, for a period of at most 31.' },
    MONTH: { description: 'Calendar months.' },
  },
});

const PER_STEP = { nullable: true, complexity: listCost(MAX_COURSE) } as const;

@ObjectType('BreakdownItem', { description: 'A page, a source or a language with its counts.' })
class BreakdownItemType implements BreakdownItem {
  @Field(() => String, {
    nullable: true,
    description: 'What it is; null: another page of the same website, or it is not known.',
  })
  value!: string | null;

  @Field(() => Int, { nullable: true, description: 'Page views; null by language.' })
  pageViews!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Page views of the days before; null when none were named, or their visits are no longer kept.',
  })
  pageViewsBefore!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Submissions without spam, by source those of visitors whose first page view of the day came from there; ' +
      'null by page.',
  })
  submissions!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Submissions of the days before; null when none were named.',
  })
  submissionsBefore!: number | null;

  @Field(() => [Int], { ...PER_STEP, description: 'Page views of each step; null by language.' })
  pageViewsPerStep!: number[] | null;

  @Field(() => [Int], { ...PER_STEP, description: 'Submissions of each step; null by page.' })
  submissionsPerStep!: number[] | null;
}

@ObjectType('Breakdown', { description: 'What is counted in a period, by page, source or language.' })
export class BreakdownType implements Breakdown {
  @Field(() => STEP_UNITS, { description: 'The unit of the steps.' })
  unit!: StepUnit;

  @Field(() => [String], {
    description:
      'The first day of each step, as in `2026-11-21`; the period may cut the first and the last one short.',
    complexity: listCost(MAX_COURSE),
  })
  steps!: string[];

  @Field(() => Int, { description: 'How many items there are, listed or not.' })
  total!: number;

  // The field `breakdown` counts what its items cost.
  @Field(() => [BreakdownItemType], {
    description: 'The items with the highest counts, the most first.',
    complexity: ({ childComplexity }) => childComplexity,
  })
  items!: BreakdownItemType[];
}
