import { Arg, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { teamsInView } from '../../auth/policy.js';
import type { Viewer } from '../../auth/viewer.js';
import { websiteNotFound } from '../../errors.js';
import { CaptchaType } from '../../generated/prisma/enums.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readDays } from '../../graphql/read-days.js';
import type { Clock } from '../../lib/clock.js';
import { MAX_PERIOD_DAYS } from '../../lib/durations.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import { requireWebsite } from '../../websites/editing/website-right.js';
import type { CaptchaFigures, CaptchaScope } from './captcha-figures.queries.js';
import {
  CaptchaFiguresType,
  CaptchaProviderType,
  CaptchaRefusalCountType,
  CaptchaTroubleType,
  DayOfVerdictsType,
  ProviderVerdictsType,
  WebsiteVerdictsType,
} from './captcha-figures.type.js';

type Services = Readonly<{ captchaFigures: CaptchaFigures; managedWebsites: ManagedWebsites; clock: Clock }>;

const TEAM = { nullable: true, description: 'Only this team; else every team that the viewer sees.' };
const WEBSITE = { nullable: true, description: 'Only this website, by its UUID.' };
const TYPE = { nullable: true, description: 'Only this provider.' };

@Resolver(() => CaptchaFiguresType)
export class CaptchaFiguresResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => CaptchaFiguresType, {
    description: 'What captcha steps have said in a period of at most a year.',
  })
  async captchaFigures(
    @Arg('from', () => String, { description: 'The first day (UTC), as in `2026-11-01`.' }) first: string,
    @Arg('to', () => String, { description: 'The last day (UTC), as in `2026-11-30`.' }) last: string,
    @Arg('teamId', () => ID, TEAM) teamId: string | null,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Arg('type', () => CaptchaType, TYPE) type: CaptchaType | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<CaptchaFiguresType> {
    const scope = await this.readScope(viewer, teamId, websiteId);
    return { period: { ...scope, type: type ?? null, ...readDays(first, last) } };
  }

  @FieldResolver(() => [DayOfVerdictsType], {
    description: 'Each day with verdicts, the first one first.',
    complexity: listCost(MAX_PERIOD_DAYS),
  })
  perDay(@Root() { period }: CaptchaFiguresType): Promise<DayOfVerdictsType[]> {
    return this.services.captchaFigures.perDay(period);
  }

  @FieldResolver(() => [ProviderVerdictsType], {
    description: 'Each provider with verdicts, the one with the most first.',
    complexity: listCost(5),
  })
  perProvider(@Root() { period }: CaptchaFiguresType): Promise<ProviderVerdictsType[]> {
    return this.services.captchaFigures.perProvider(period);
  }

  @FieldResolver(() => [WebsiteVerdictsType], {
    description: 'Each website with verdicts, the most failures and refusals first, 500 at most.',
    complexity: listCost(100),
  })
  perWebsite(@Root() { period }: CaptchaFiguresType): Promise<WebsiteVerdictsType[]> {
    return this.services.captchaFigures.perWebsite(period);
  }

  @FieldResolver(() => [CaptchaRefusalCountType], {
    description: 'Why captchas were refused, the most frequent reason first.',
    complexity: listCost(20),
  })
  refusals(@Root() { period }: CaptchaFiguresType): Promise<CaptchaRefusalCountType[]> {
    return this.services.captchaFigures.refusals(period);
  }

  @Authorized()
  @Query(() => [CaptchaTroubleType], {
    description: 'The failures of captcha providers that go on, the longest first.',
    complexity: listCost(10),
  })
  async captchaTroubles(
    @Arg('teamId', () => ID, TEAM) teamId: string | null,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<CaptchaTroubleType[]> {
    const scope = await this.readScope(viewer, teamId, websiteId);
    const { captchaFigures, clock } = this.services;
    return captchaFigures.troubles(scope, clock());
  }

  @Authorized()
  @Query(() => [CaptchaProviderType], {
    description: 'What is recorded of each provider that captcha chains ask, the one on most websites first.',
    complexity: listCost(5),
  })
  async captchaProviders(
    @Arg('teamId', () => ID, TEAM) teamId: string | null,
    @Arg('websiteId', () => ID, WEBSITE) websiteId: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<CaptchaProviderType[]> {
    const scope = await this.readScope(viewer, teamId, websiteId);
    const { captchaFigures, clock } = this.services;
    return captchaFigures.providers(scope, clock());
  }

  private async readScope(
    viewer: Viewer,
    teamId: string | null,
    websiteId: string | null,
  ): Promise<CaptchaScope> {
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    if (websiteId == null) return { teamIds, websiteId: null, type: null };
    const website = await requireWebsite(this.services.managedWebsites, viewer, websiteId, 'read');
    return { teamIds, websiteId: website.id, type: null };
  }
}

@Resolver(() => WebsiteVerdictsType)
export class WebsiteVerdictsResolver {
  constructor(private readonly services: Pick<Services, 'managedWebsites'>) {}

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(
    @Root() { websiteId }: WebsiteVerdictsType,
    @Ctx() { load }: ViewerContext,
  ): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }
}
