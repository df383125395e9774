import { Arg, Authorized, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { Policy } from '../../auth/policy.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import {
  type StatisticsFilter as Filter,
  type Statistics,
  statisticsFilterSchema,
} from './statistics.service.js';
import {
  CaptchaVerdictCountType,
  DayCountType,
  FormCountType,
  NotificationOutcomeType,
  SilentWebsiteType,
  StatisticsFilter,
} from './statistics.type.js';

type Services = Readonly<{ policy: Policy; statistics: Statistics }>;

const FILTER = { nullable: true, description: 'What the figures are about.' } as const;

const read = (filter: StatisticsFilter | null): Filter =>
  readInput(statisticsFilterSchema, filter ?? {}, 'filter');

@Resolver()
export class StatisticsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [DayCountType], {
    description: 'Submissions by day; days without any are left out.',
    complexity: listCost(100),
  })
  async submissionsPerDay(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<DayCountType[]> {
    const { policy, statistics } = this.services;
    const selected = read(filter);
    return statistics.perDay(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [FormCountType], {
    description: 'Submissions by website and form, the most first, 500 at most.',
    complexity: listCost(100),
  })
  async submissionsPerForm(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<FormCountType[]> {
    const { policy, statistics } = this.services;
    const selected = read(filter);
    return statistics.perForm(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [NotificationOutcomeType], {
    description: 'What became of the e-mails about the submissions of a period.',
    complexity: listCost(100),
  })
  async notificationOutcomes(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<NotificationOutcomeType[]> {
    const { policy, statistics } = this.services;
    const selected = read(filter);
    return statistics.notificationOutcomes(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [CaptchaVerdictCountType], {
    description:
      'The verdicts on the captcha steps, with fallbacks and pass-throughs, the most frequent first, 500 at most. Days are ' +
      'counted as a whole and in UTC; the forms of the filter play no part.',
    complexity: listCost(100),
  })
  async captchaVerdicts(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<CaptchaVerdictCountType[]> {
    const { policy, statistics } = this.services;
    const selected = read(filter);
    return statistics.captchaVerdicts(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [SilentWebsiteType], {
    description:
      'Websites from which nothing comes any more, against their own habit, the longest silent first, 500 at ' +
      'most. The usual pause of a website is the average between its newest submissions of the last 60 days, 100 ' +
      'at most and 5 at least; it is silent when nothing has come for 5 such pauses and for 3 days. Disabled ' +
      'websites and those of suspended teams are left out.',
    complexity: listCost(100),
  })
  async silentWebsites(
    @Arg('teamId', () => ID, {
      nullable: true,
      description: 'Only of this team; else of every team that the viewer sees.',
    })
    teamId: string | null | undefined,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<SilentWebsiteType[]> {
    const id = teamId == null ? undefined : intId(teamId, 'Team');
    const { policy, statistics } = this.services;
    return statistics.silentWebsites(await policy.scope(viewer, { teamId: id }));
  }
}
