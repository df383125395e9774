import { Arg, Authorized, Ctx, Int, Query, Resolver } from 'type-graphql';
import type { Policy } from '../../auth/policy.js';
import { invalid } from '../../errors.js';
import type { ViewerContext } from '../../graphql/context.js';
import { limitOf } from '../../graphql/limit.js';
import { readDayBefore } from '../../graphql/read-days.js';
import { readInput } from '../../graphql/read-input.js';
import type { Clock } from '../../lib/clock.js';
import { statisticsFilterSchema } from './statistics.schema.js';
import type { Statistics } from './statistics.service.js';
import { StatisticsFilter } from './statistics.type.js';
import { SubmissionBreakdownBy, SubmissionBreakdownType } from './submission-breakdown.type.js';

const LIMIT = limitOf({ usual: 20, most: 1_000, name: 'limit' });

/** Checks the first of the days before, which end where the days of the filter begin. */
function checkBefore(before: string, firstDay: string | undefined): string {
  if (firstDay === undefined) throw invalid({ before: ['must be given with firstDay'] });
  readDayBefore(before, new Date(firstDay), 'firstDay');
  return before;
}

@Resolver()
export class SubmissionBreakdownResolver {
  constructor(
    private readonly services: Readonly<{ policy: Policy; statistics: Statistics; clock: Clock }>,
  ) {}

  @Authorized()
  @Query(() => SubmissionBreakdownType, {
    description: 'Submissions by website or by form, without spam, the most first, beside the days before.',
    complexity: LIMIT.cost,
  })
  async submissionBreakdown(
    @Arg('filter', () => StatisticsFilter, { nullable: true, description: 'What the figures are about.' })
    filter: StatisticsFilter | null,
    @Arg('by', () => SubmissionBreakdownBy, { description: 'What to break them down by.' })
    by: SubmissionBreakdownBy,
    @Arg('limit', () => Int, LIMIT.options) limit: number,
    @Arg('before', () => String, {
      nullable: true,
      description:
        'The first of the days to compare with, as in `2026-10-01`; they end the day before the `firstDay` of the ' +
        'filter.',
    })
    before: string | null | undefined,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SubmissionBreakdownType> {
    const { policy, statistics, clock } = this.services;
    const selected = readInput(statisticsFilterSchema(clock()), filter ?? {}, 'filter');
    return statistics.breakdown(await policy.scope(viewer, selected), selected, {
      by,
      limit: LIMIT.read(limit),
      before: before == null ? null : checkBefore(before, selected.firstDay),
    });
  }
}
