import { Arg, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { limitOf } from '../../graphql/limit.js';
import { readDayBefore } from '../../graphql/read-days.js';
import { VisitStatisticsType } from '../../visits/visit-statistics.type.js';
import type { Breakdowns } from './breakdown.service.js';
import { BreakdownBy, BreakdownType } from './breakdown.type.js';

const LIMIT = limitOf({ usual: 20, most: 1_000, name: 'limit' });

@Resolver(() => VisitStatisticsType)
export class BreakdownResolver {
  constructor(private readonly services: Readonly<{ breakdowns: Breakdowns }>) {}

  @FieldResolver(() => BreakdownType, {
    description:
      'Page views and submissions by page, source or language: in all, over time, and beside the days before. ' +
      'Page views are counted by days in UTC, submissions by those of their website.',
    complexity: LIMIT.cost,
  })
  breakdown(
    @Root() { scope }: VisitStatisticsType,
    @Arg('by', () => BreakdownBy, { description: 'The attribute to break them down by.' }) by: BreakdownBy,
    @Arg('limit', () => Int, LIMIT.options) limit: number,
    @Arg('before', () => String, {
      nullable: true,
      description:
        'The first of the days to compare with, as in `2026-10-01`; they end the day before `from`.',
    })
    before: string | null | undefined,
  ): Promise<BreakdownType> {
    return this.services.breakdowns.of(scope, {
      by,
      limit: LIMIT.read(limit),
      before: before == null ? null : readDayBefore(before, scope.from, 'from'),
    });
  }
}
