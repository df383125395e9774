import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import { hasRight, type Policy } from '../../auth/policy.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import { type Estimate, listCost } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { loadTeam } from '../../teams/load-team.js';
import { TeamType } from '../../teams/team.type.js';
import type { Teams } from '../../teams/teams.service.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import type { Erasures } from './erasure.service.js';
import { ErasureReceiptType } from './erasure-receipt.type.js';
import { shownReceipt } from './erasure-receipts.mapper.js';
import { emailAddress } from './person.schema.js';
import type { Persons } from './person.service.js';
import { ErasureOfWebsiteType, ErasurePreviewType, PersonInTeamType } from './person.type.js';

type Services = Readonly<{
  policy: Policy;
  persons: Pick<Persons, 'teamsOf'>;
  erasures: Erasures;
  teams: Pick<Teams, 'byIds'>;
  managedWebsites: Pick<ManagedWebsites, 'findMany'>;
}>;

const TEAM = { description: 'A team that the viewer manages.' };
const EMAIL = { description: 'The address, in any case of letters.' };

@Resolver(() => ErasureOfWebsiteType)
export class PersonResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [PersonInTeamType], {
    description:
      'The teams within view that have submissions of a person, the latest first, or a rule about spam that names the ' +
      'person. `submissions` lists them by the filter `email`. Of more than 10,000 submissions in all, notes and e-mails are ' +
      "counted of 10,000, each team's latest first.",
    complexity: listCost(20),
  })
  async person(
    @Arg('email', () => String, EMAIL) email: string,
    @Arg('teamId', () => ID, { nullable: true, description: 'Only of this team.' }) teamId: string | null,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<PersonInTeamType[]> {
    const address = readInput(emailAddress, email, 'email');
    const { policy, persons } = this.services;
    const scope = await policy.scope(viewer, teamId == null ? {} : { teamId: intId(teamId, 'Team') });
    const teams = await persons.teamsOf(scope, address);
    return teams.map((team) => ({ ...team, mayErase: hasRight(viewer, team.teamId, 'manage') }));
  }

  @Authorized()
  @Query(() => ErasurePreviewType, {
    description: 'What `erasePerson` would delete now.',
    complexity: ({ childComplexity }: Pick<Estimate, 'childComplexity'>) => 50 + childComplexity,
  })
  async erasurePreview(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('email', () => String, EMAIL) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<ErasurePreviewType> {
    const { id, address } = await this.requireManaged(context, teamId, email);
    return this.services.erasures.preview(id, address);
  }

  @FieldResolver(() => WebsiteType, {
    nullable: true,
    description: 'The website; null when it has been deleted since.',
  })
  async website(
    @Root() { websiteId }: ErasureOfWebsiteType,
    @Ctx() { load }: PanelContext,
  ): Promise<WebsiteType | null> {
    return load(this.services.managedWebsites.findMany, websiteId);
  }

  @Authorized()
  @Mutation(() => ErasureReceiptType, {
    description:
      'Deletes for good every submission of a team that has an address in an e-mail field, with its e-mails, notes ' +
      'and idempotency key, and rules about spam that name the address, which it masks in visits. Submissions under ' +
      'legal hold stay. The same again deletes what is left.',
    complexity: ({ childComplexity }: Pick<Estimate, 'childComplexity'>) => 500 + childComplexity,
  })
  async erasePerson(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('email', () => String, EMAIL) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<ErasureReceiptType> {
    const { id, address } = await this.requireManaged(context, teamId, email);
    return shownReceipt(await this.services.erasures.erase(id, address, panelActor(context)));
  }

  @Authorized()
  @Mutation(() => Int, {
    description: 'Does what `erasePerson` does. The answer is how many submissions it has deleted.',
    deprecationReason: 'Use erasePerson.',
  })
  async eraseEmailAddress(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('email', () => String, EMAIL) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const { id, address } = await this.requireManaged(context, teamId, email);
    return (await this.services.erasures.erase(id, address, panelActor(context))).counts.submissions;
  }

  /** Reads the address, and a team that the viewer manages. @throws 422, 404, 403. */
  private async requireManaged({ viewer }: ViewerContext, teamId: string, email: string) {
    const address = readInput(emailAddress, email, 'email');
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    return { id, address };
  }
}

@Resolver(() => PersonInTeamType)
export class PersonTeamsResolver {
  constructor(private readonly services: Pick<Services, 'teams'>) {}

  @FieldResolver(() => TeamType, { description: 'The team.' })
  team(@Root() { teamId }: PersonInTeamType, @Ctx() context: PanelContext): Promise<TeamType> {
    return loadTeam(this.services, context, teamId);
  }
}
