import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { teamsInView } from '../../auth/policy.js';
import { websiteNotFound } from '../../errors.js';
import { CaptchaType } from '../../generated/prisma/enums.js';
import { type Connection, PageArgs, readPage, toConnection } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { pageCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { orNull } from '../../lib/input.schema.js';
import { instant } from '../../lib/instant.schema.js';
import { storableText } from '../../lib/text/storable-text.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import { requireWebsite } from '../../websites/editing/website-right.js';
import { IncidentConnection, IncidentType } from './incident.type.js';
import type { IncidentLog } from './incident-log.queries.js';

type Services = Readonly<{ incidentLog: IncidentLog; managedWebsites: ManagedWebsites }>;

@Resolver(() => IncidentType)
export class IncidentsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => IncidentConnection, {
    description:
      'Captcha incidents of all the teams that the viewer sees, or narrowed down, the newest first.',
    complexity: pageCost,
  })
  async incidents(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('teamId', () => ID, { nullable: true, description: 'Only those of this team.' })
    teamId: string | null,
    @Arg('websiteId', () => ID, { nullable: true, description: 'Only those of this website.' })
    websiteId: string | null,
    @Arg('reason', () => String, { nullable: true, description: 'Only those for this reason.' })
    reason: string | null,
    @Arg('type', () => CaptchaType, { nullable: true, description: 'Only those of steps of this type.' })
    type: CaptchaType | null,
    @Arg('since', () => Date, { nullable: true, description: 'From this instant on, to the minute.' })
    since: Date | null,
    @Arg('until', () => Date, { nullable: true, description: 'Before this instant, to the minute.' })
    until: Date | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<IncidentType>> {
    const { incidentLog, managedWebsites } = this.services;
    const page = readPage(args, ['instant', 'uuid']);
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    const website =
      websiteId == null ? null : await requireWebsite(managedWebsites, viewer, websiteId, 'read');
    const filter = {
      teamIds,
      websiteId: website?.id ?? null,
      reason: reason == null ? null : storableText(reason),
      type: type ?? null,
      since: readInput(orNull(instant), since, 'since'),
      until: readInput(orNull(instant), until, 'until'),
    };
    return toConnection(
      await incidentLog.list(filter, page),
      page,
      ({ minute, id }) => [minute.toISOString(), id],
      (incident) => incident,
    );
  }

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(@Root() { websiteId }: IncidentType, @Ctx() { load }: ViewerContext): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }
}
