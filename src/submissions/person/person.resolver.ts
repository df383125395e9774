import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { z } from 'zod';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import { websiteNotFound } from '../../errors.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import type { Estimate } from '../../graphql/cost.js';
import { intId } from '../../graphql/ids.js';
import { readInput } from '../../graphql/read-input.js';
import { isEmailAddress } from '../../lib/text/email-address.js';
import type { ManagedWebsites } from '../../websites/editing/managed-websites.service.js';
import { WebsiteType } from '../../websites/editing/website.type.js';
import type { Persons } from './person.service.js';
import { ErasureOfWebsiteType, ErasurePreviewType } from './person.type.js';

type Services = Readonly<{
  policy: Policy;
  persons: Persons;
  managedWebsites: Pick<ManagedWebsites, 'findMany'>;
}>;

const TEAM = { description: 'A team that the viewer manages.' };
const EMAIL = { description: 'The address, in any case of letters.' };

const emailAddress = z.string().trim().refine(isEmailAddress, { error: 'must be an e-mail address' });

@Resolver(() => ErasureOfWebsiteType)
export class PersonResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => ErasurePreviewType, {
    description: 'How many submissions of which websites `eraseEmailAddress` would delete.',
    complexity: ({ childComplexity }: Pick<Estimate, 'childComplexity'>) => 50 + childComplexity,
  })
  async erasurePreview(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('email', () => String, EMAIL) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<ErasurePreviewType> {
    const { id, address } = await this.readManaged(context, teamId, email);
    return this.services.persons.preview(id, address);
  }

  @FieldResolver(() => WebsiteType, { description: 'The website.' })
  async website(
    @Root() { websiteId }: ErasureOfWebsiteType,
    @Ctx() { load }: PanelContext,
  ): Promise<WebsiteType> {
    const website = await load(this.services.managedWebsites.findMany, websiteId);
    if (!website) throw websiteNotFound();
    return website;
  }

  @Authorized()
  @Mutation(() => Int, {
    description:
      'Deletes for good every submission of a team that has an address in an e-mail field, with its e-mail and ' +
      'notes. The answer is how many.',
  })
  async eraseEmailAddress(
    @Arg('teamId', () => ID, TEAM) teamId: string,
    @Arg('email', () => String, EMAIL) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const { id, address } = await this.readManaged(context, teamId, email);
    return this.services.persons.erase(id, address, panelActor(context));
  }

  /** Reads the address, and a team that the viewer manages. @throws 422, 404, 403. */
  private async readManaged({ viewer }: ViewerContext, teamId: string, email: string) {
    const address = readInput(emailAddress, email, 'email');
    const id = intId(teamId, 'Team');
    await this.services.policy.requireTeam(viewer, id, 'manage');
    return { id, address };
  }
}
