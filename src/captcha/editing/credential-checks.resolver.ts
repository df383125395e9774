import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { teamsInView } from '../../auth/policy.js';
import { websiteNotFound } from '../../errors.js';
import { readCursor, writeCursor } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import type { CredentialChecks } from './credential-checks.service.js';
import { CheckedPageType, CheckedStepType } from './credential-checks.type.js';

type Services = Readonly<{
  credentialChecks: CredentialChecks;
  managedWebsites: Pick<ManagedWebsites, 'findMany'>;
  limiter: Limiter;
}>;

@Resolver()
export class CredentialChecksResolver {
  constructor(private readonly services: Services) {}

  @Authorized('staff')
  @Mutation(() => CheckedPageType, {
    description:
      'Checks the credentials of up to 40 captcha steps with their providers, 8 at once, each with a token that is ' +
      'wrong on purpose. 120 times a minute for each account.',
    complexity: listCost(40),
  })
  async checkCaptchaCredentials(
    @Arg('teamId', () => ID, { nullable: true, description: 'Only those of this team.' })
    teamId: string | null,
    @Arg('after', () => String, { nullable: true, description: '`next` of the page before.' })
    after: string | null,
    @Ctx() { viewer, client }: ViewerContext,
  ): Promise<CheckedPageType> {
    const { credentialChecks, limiter } = this.services;
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    const [last = null] = after == null ? [] : readCursor(after, ['int'], 'after');
    requirePassing(await limiter.consume({ limit: 'captcha-checks', key: String(viewer.userId) }));
    const { checked, total, next } = await credentialChecks.checkPage(
      { teamId: teamIds?.[0] ?? null, after: last as number | null },
      { clientIp: client.ip, userAgent: client.userAgent ?? undefined },
    );
    return {
      checked,
      total,
      next: next === null ? null : writeCursor([next]),
    };
  }
}

@Resolver(() => CheckedStepType)
export class CheckedStepsResolver {
  constructor(private readonly services: Pick<Services, 'managedWebsites'>) {}

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(
    @Root() { websiteId }: CheckedStepType,
    @Ctx() { load }: ViewerContext,
  ): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }
}
