import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { requireRight } from '../auth/policy.js';
import type { Viewer } from '../auth/viewer.js';
import { invalid } from '../errors.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { limitOf } from '../graphql/limit.js';
import { readDays } from '../graphql/read-days.js';
import { MAX_PERIOD_DAYS } from '../lib/durations.js';
import type { ManagedWebsites } from '../websites/editing/managed-websites.service.js';
import { requireWebsite } from '../websites/editing/website-right.js';
import type { VisitStatistics } from './visit-statistics.queries.js';
import {
  AttributionBy,
  AttributionTotalType,
  DayOfVisitsType,
  VisitedPageType,
  VisitStatisticsType,
} from './visit-statistics.type.js';

type Services = Readonly<{ visitStatistics: VisitStatistics; managedWebsites: ManagedWebsites }>;

const LIMIT = limitOf({ usual: 20, most: 100, name: 'limit' });

@Resolver(() => VisitStatisticsType)
export class VisitStatisticsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => VisitStatisticsType, {
    description: 'What the visits of a team, or of one website, come to in a period of at most a year.',
  })
  async visitStatistics(
    @Arg('from', () => String, { description: 'The first day (UTC), as in `2026-11-01`.' }) first: string,
    @Arg('to', () => String, { description: 'The last day (UTC), as in `2026-11-30`.' }) last: string,
    @Arg('teamId', () => ID, { nullable: true, description: 'The team; this or a website is required.' })
    teamId: string | null,
    @Arg('websiteId', () => ID, { nullable: true, description: 'UUID of the website.' })
    websiteId: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<VisitStatisticsType> {
    const whose = await this.readWhose(viewer, teamId ?? null, websiteId ?? null);
    return { scope: { ...whose, ...readDays(first, last) } };
  }

  @FieldResolver(() => [DayOfVisitsType], {
    description: 'Each day of the period, the first one first.',
    complexity: listCost(MAX_PERIOD_DAYS),
  })
  perDay(@Root() { scope }: VisitStatisticsType): Promise<DayOfVisitsType[]> {
    return this.services.visitStatistics.perDay(scope);
  }

  @FieldResolver(() => [VisitedPageType], {
    description: 'The pages that were looked at most often.',
    complexity: LIMIT.cost,
  })
  topPages(
    @Root() { scope }: VisitStatisticsType,
    @Arg('limit', () => Int, LIMIT.options) limit: number,
  ): Promise<VisitedPageType[]> {
    return this.services.visitStatistics.topPages(scope, LIMIT.read(limit));
  }

  @FieldResolver(() => [AttributionTotalType], {
    description: 'Where page views and submissions came from, most page views first.',
    complexity: LIMIT.cost,
  })
  attribution(
    @Root() { scope }: VisitStatisticsType,
    @Arg('by', () => AttributionBy, { description: 'The attribute to group them by.' }) by: AttributionBy,
    @Arg('limit', () => Int, LIMIT.options) limit: number,
  ): Promise<AttributionTotalType[]> {
    return this.services.visitStatistics.attribution(scope, by, LIMIT.read(limit));
  }

  private async readWhose(viewer: Viewer, teamId: string | null, websiteId: string | null) {
    if ((teamId === null) === (websiteId === null)) {
      throw invalid({ teamId: ['Name either a team or a website.'] });
    }
    if (teamId !== null) {
      const team = requireRight(viewer, { teamId: intId(teamId, 'Team') }, 'read', 'Team');
      return { teamId: team.teamId, websiteId: null };
    }
    const website = await requireWebsite(this.services.managedWebsites, viewer, websiteId ?? '', 'read');
    return { teamId: website.teamId, websiteId: website.id };
  }
}
