import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { requireRight, teamsInView } from '../../auth/policy.js';
import type { Viewer } from '../../auth/viewer.js';
import type { Config } from '../../config.js';
import { conflict, forbidden, notFound, websiteNotFound } from '../../errors.js';
import { type Connection, PageArgs, readPage, toConnectionById } from '../../graphql/connection.js';
import type { ViewerContext } from '../../graphql/context.js';
import { listCost, pageCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import { platformLocale } from '../../lib/input.schema.js';
import { loadTeam } from '../../teams/load-team.js';
import { TeamType } from '../../teams/team.type.js';
import type { Teams } from '../../teams/teams.service.js';
import { newWebsite, websiteChanges } from '../website.schema.js';
import type { ManagedWebsites, SavedWebsite } from './managed-websites.service.js';
import { websiteVersion } from './save-website.js';
import { DepartmentType, WebsiteConnection, WebsiteType } from './website.type.js';
import { NewWebsiteInput, WebsiteChangesInput } from './website-input.type.js';
import { requireWebsite } from './website-right.js';

type Services = Readonly<{
  managedWebsites: ManagedWebsites;
  teams: Teams;
  config: Pick<Config, 'locales'>;
}>;

@Resolver(() => WebsiteType)
export class WebsitesResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => WebsiteConnection, {
    description: 'Websites of all the teams that the viewer sees, or of one, sorted by name.',
    complexity: pageCost,
  })
  async websites(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('teamId', () => ID, { nullable: true, description: 'Only those of this team.' })
    teamId: string | null,
    @Arg('search', () => String, {
      nullable: true,
      description:
        "Part of the name or of the host; where several teams are in view, also of the team's name.",
    })
    search: string | null,
    @Arg('locale', () => String, { nullable: true, description: 'Only those in this language.' })
    locale: string | null,
    @Arg('disabled', () => Boolean, {
      nullable: true,
      description: 'Only those that are disabled, or are not.',
    })
    disabled: boolean | null,
    @Arg('needsAttention', () => Boolean, {
      nullable: true,
      description: 'Only those whose `health` tells of something, or of nothing.',
    })
    needsAttention: boolean | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<Connection<WebsiteType>> {
    const page = readPage(args, ['string', 'uuid']);
    const teamIds = teamsInView(viewer, teamId == null ? null : intId(teamId, 'Team'));
    const filter = {
      teamIds,
      search: search ?? null,
      locale:
        locale == null ? null : readInput(platformLocale(this.services.config.locales), locale, 'locale'),
      disabled: disabled ?? null,
      needsAttention: needsAttention ?? null,
    };
    const { positions, byId } = await this.services.managedWebsites.list(filter, page);
    return toConnectionById(
      positions,
      page,
      ({ name, id }) => [name, id],
      byId,
      (website) => website,
    );
  }

  @Authorized()
  @Query(() => WebsiteType, { description: 'One website.' })
  website(
    @Arg('id', () => ID, { description: 'UUID of the website.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<WebsiteType> {
    return requireWebsite(this.services.managedWebsites, context.viewer, id, 'read');
  }

  @Authorized()
  @Query(() => [DepartmentType], {
    description: 'Every department that a website can serve, sorted by code.',
    complexity: listCost(120),
  })
  departments(): Promise<DepartmentType[]> {
    return this.services.managedWebsites.departments();
  }

  @FieldResolver(() => [DepartmentType], {
    name: 'departments',
    description: 'The departments that it serves, sorted by code.',
    complexity: listCost(5),
  })
  servedDepartments(@Root() { id }: WebsiteType, @Ctx() { load }: ViewerContext): Promise<DepartmentType[]> {
    return load(this.services.managedWebsites.departmentsOf, id);
  }

  @FieldResolver(() => String, {
    description: 'Version of the settings, which every change of them changes; for `updateWebsite`.',
  })
  async version(@Root() website: WebsiteType, @Ctx() { load }: ViewerContext): Promise<string> {
    const departments = await load(this.services.managedWebsites.departmentsOf, website.id);
    return websiteVersion(
      website,
      departments.map(({ code }) => code),
    );
  }

  @FieldResolver(() => TeamType, { description: 'The team that it belongs to.' })
  team(@Root() { teamId }: WebsiteType, @Ctx() context: ViewerContext): Promise<TeamType> {
    return loadTeam(this.services, context, teamId);
  }

  @Authorized()
  @Mutation(() => WebsiteType, {
    description:
      'Creates a website with a signature key of its own. CONFLICT beyond 5,000 websites of the team.',
  })
  async createWebsite(
    @Arg('teamId', () => ID, { description: 'The team that it is to belong to.' }) teamId: string,
    @Arg('input', () => NewWebsiteInput, { description: 'Its settings.' }) input: NewWebsiteInput,
    @Ctx() context: ViewerContext,
  ): Promise<WebsiteType> {
    const team = requireRight(context.viewer, { teamId: intId(teamId, 'Team') }, 'manage', 'Team');
    const read = readInput(newWebsite(this.services.config.locales), input);
    const settings = permittedSettings(context.viewer, read, { disabled: false });
    const actor = panelActor(context);
    return accepted(await this.services.managedWebsites.create(team.teamId, settings, actor), 'Team');
  }

  @Authorized()
  @Mutation(() => WebsiteType, {
    description: 'Changes a website; every gateway and the directory show it at once.',
  })
  async updateWebsite(
    @Arg('id', () => ID, { description: 'UUID of the website.' }) id: string,
    @Arg('input', () => WebsiteChangesInput, { description: 'What is to change.' })
    input: WebsiteChangesInput,
    @Arg('version', () => String, {
      nullable: true,
      description:
        'The `version` that was read: CONFLICT when the settings have changed since. Without it, whatever is stored is replaced.',
    })
    version: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<WebsiteType> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, id, 'manage');
    const read = readInput(websiteChanges(this.services.config.locales), input);
    const settings = permittedSettings(context.viewer, read, website);
    const saved = await this.services.managedWebsites.update(
      website.id,
      settings,
      panelActor(context),
      version ?? null,
    );
    return accepted(saved, 'Website');
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Deletes a website with its placements, captcha chain, visits and incidents. CONFLICT while there are submissions.',
  })
  async deleteWebsite(
    @Arg('id', () => ID, { description: 'UUID of the website.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, id, 'manage');
    const outcome = await this.services.managedWebsites.remove(website.id, panelActor(context));
    if (outcome === 'not_found') throw websiteNotFound();
    if (outcome === 'has_submissions') throw conflict('The website has submissions.');
    return true;
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Gives a website a new signature key. Signatures of the former one end at once.',
  })
  async regenerateSignatureKey(
    @Arg('websiteId', () => ID, { description: 'UUID of the website.' }) websiteId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const website = await requireWebsite(this.services.managedWebsites, context.viewer, websiteId, 'manage');
    await this.services.managedWebsites.regenerateKey(website, panelActor(context));
    return true;
  }
}

/**
 * Restricts the settings of a website to those the viewer may change: only staff decide whether it is disabled. Other
 * viewers may send the current value, but it is not written, lest it overwrite a concurrent decision of staff.
 *
 * @throws 403 when another viewer would change it.
 */
function permittedSettings<T extends { disabled?: boolean }>(
  viewer: Viewer,
  settings: T,
  stored: Readonly<{ disabled: boolean }>,
): T {
  if (viewer.staff) return settings;
  const { disabled = stored.disabled } = settings;
  if (disabled !== stored.disabled) throw forbidden('Websites are disabled and enabled by staff.');
  return { ...settings, disabled: undefined };
}

function accepted(saved: SavedWebsite | null, what: string): WebsiteType {
  if (!saved) throw notFound(`${what} not found.`);
  if ('faults' in saved) throw invalidInput(saved.faults);
  return saved.website;
}
