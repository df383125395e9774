import { Arg, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { panelActor } from '../../auth/panel-actor.js';
import type { Policy } from '../../auth/policy.js';
import type { ViewerContext } from '../../graphql/context.js';
import { intId } from '../../graphql/ids.js';
import type { HeldEmails } from './held-emails.service.js';
import { QuotaHeldType, SentHeldType } from './held-emails.type.js';

type Services = Readonly<{ policy: Policy; heldEmails: HeldEmails }>;

@Resolver()
export class HeldEmailsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => QuotaHeldType, {
    description:
      "The submissions whose e-mails a team's quota has held back, and for how many it has room by now.",
    complexity: 50,
  })
  async quotaHeld(
    @Arg('teamId', () => ID, { description: 'The team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<QuotaHeldType> {
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'read');
    return this.services.heldEmails.readHeld(id);
  }

  @Authorized()
  @Mutation(() => SentHeldType, {
    description:
      'Sends the e-mails that the quota has held back, the oldest first, as many as the months of their submissions ' +
      'have room for, 500 a call. Nothing goes beyond the quota: one that finds no unit left is held again.',
    complexity: 500,
  })
  async sendHeld(
    @Arg('teamId', () => ID, { description: 'A team that the viewer manages.' }) teamId: string,
    @Ctx() context: ViewerContext,
  ): Promise<SentHeldType> {
    const id = await this.services.policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    return this.services.heldEmails.send(id, panelActor(context));
  }
}
