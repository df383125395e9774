import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { AttributionTotal, DayOfVisits, VisitedPage, VisitScope } from './visit-statistics.queries.js';

/** As `AttributionKey`. */
export enum AttributionBy {
  REFERRER_HOST = 'referrer_host',
  UTM_SOURCE = 'utm_source',
  UTM_MEDIUM = 'utm_medium',
  UTM_CAMPAIGN = 'utm_campaign',
}

registerEnumType(AttributionBy, {
  name: 'AttributionBy',
  description: 'The attribute by which page views and submissions are grouped.',
  valuesConfig: {
    REFERRER_HOST: { description: 'By the host of the page that they came from.' },
    UTM_SOURCE: { description: 'By `utm_source`.' },
    UTM_MEDIUM: { description: 'By `utm_medium`.' },
    UTM_CAMPAIGN: { description: 'By `utm_campaign`.' },
  },
});

@ObjectType('DayOfVisits', { description: 'The visits of one day.' })
export class DayOfVisitsType implements DayOfVisits {
  @Field(() => String, { description: 'The day (UTC), as in `2026-11-21`.' })
  day!: string;

  @Field(() => Int, { description: 'Page views.' })
  pageViews!: number;

  @Field(() => Int, { description: 'Browsers that looked at them, each website for itself.' })
  visitors!: number;
}

@ObjectType('VisitedPage', { description: 'A page with its visits.' })
export class VisitedPageType implements VisitedPage {
  @Field(() => String, { description: 'Its address without what follows `?` or `#`.' })
  pageUrl!: string;

  @Field(() => Int, { description: 'Page views.' })
  pageViews!: number;
}

@ObjectType('AttributionTotal', { description: 'Page views and submissions that came from the same place.' })
export class AttributionTotalType implements AttributionTotal {
  @Field(() => String, {
    nullable: true,
    description: 'Where they came from; null: another page of the same website, or it is not known.',
  })
  value!: string | null;

  @Field(() => Int, { description: 'Page views.' })
  visits!: number;

  @Field(() => Int, {
    description: 'Submissions of visitors whose first page view of the day came from there, without spam.',
  })
  submissions!: number;
}

@ObjectType('VisitStatistics', { description: 'What the visits of a period come to.' })
export class VisitStatisticsType {
  /** The scope of its fields; it is no GraphQL field. */
  scope!: VisitScope;
}
