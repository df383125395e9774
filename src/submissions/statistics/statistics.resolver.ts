import { Arg, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import type { Policy } from '../../auth/policy.js';
import { formNotFound, websiteNotFound } from '../../errors.js';
import { FormType } from '../../forms/editing/form.type.js';
import type { ManagedForms } from '../../forms/editing/managed-forms.service.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import type { Clock } from '../../lib/clock.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import { type StatisticsFilter as Filter, statisticsFilterSchema } from './statistics.schema.js';
import type { Statistics } from './statistics.service.js';
import {
  CaptchaVerdictCountType,
  DayCountType,
  FormCountType,
  LanguageCountType,
  NotificationOutcomeType,
  SilentWebsiteType,
  StatisticsFilter,
} from './statistics.type.js';

type Services = Readonly<{
  policy: Policy;
  statistics: Statistics;
  managedForms: Pick<ManagedForms, 'findMany'>;
  managedWebsites: Pick<ManagedWebsites, 'findMany'>;
  clock: Clock;
}>;

const FILTER = { nullable: true, description: 'What the figures are about.' } as const;

@Resolver(() => FormCountType)
export class StatisticsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [DayCountType], {
    description:
      'Submissions by day, without spam; days without any are left out. Days that have passed count what came, also what ' +
      'was deleted since; those of whole teams, also what came through websites and forms that are deleted since.',
    complexity: listCost(100),
  })
  async submissionsPerDay(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<DayCountType[]> {
    const { policy, statistics } = this.services;
    const selected = this.read(filter);
    return statistics.perDay(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [FormCountType], {
    description: 'Submissions by website and form, without spam, the most first, 500 at most.',
    complexity: listCost(100),
  })
  async submissionsPerForm(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<FormCountType[]> {
    const { policy, statistics } = this.services;
    const selected = this.read(filter);
    return statistics.perForm(await policy.scope(viewer, selected), selected);
  }

  @FieldResolver(() => FormType, { description: 'The form.' })
  async form(@Root() { formId }: FormCountType, @Ctx() { load }: ViewerContext): Promise<FormType> {
    const form = await load(this.services.managedForms.findMany, formId);
    if (!form) throw formNotFound();
    return form;
  }

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(@Root() { websiteId }: FormCountType, @Ctx() { load }: ViewerContext): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }

  @Authorized()
  @Query(() => [LanguageCountType], {
    description: 'Submissions by the language in which they were sent, without spam, the most first.',
    complexity: listCost(10),
  })
  async submissionsPerLanguage(
    @Arg('filter', () => StatisticsFilter, FILTER) filter: StatisticsFilter | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<LanguageCountType[]> {
    const { policy, statistics } = this.services;
    const selected = this.read(filter);
    return statistics.perLanguage(await policy.scope(viewer, selected), selected);
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
    const selected = this.read(filter);
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
    const selected = this.read(filter);
    return statistics.captchaVerdicts(await policy.scope(viewer, selected), selected);
  }

  @Authorized()
  @Query(() => [SilentWebsiteType], {
    description:
      'Websites from which nothing comes any more, against their own habit, the longest silent first, 500 at most. ' +
      'Workers find them: a website is silent when its pause would be less likely than one in as many as the whole ' +
      'installation has in two weeks, and until its next submission. The usual pause is the average over the 180 days ' +
      'before the last submission. Disabled websites and those of suspended teams are left out.',
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

  private read(filter: StatisticsFilter | null): Filter {
    return readInput(statisticsFilterSchema(this.services.clock()), filter ?? {}, 'filter');
  }
}
