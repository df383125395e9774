import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { ViewerType } from '../accounts/account.type.js';
import type { Login } from '../auth/login.service.js';
import { limitAttempts } from '../auth/login-limit.js';
import { panelActor } from '../auth/panel-actor.js';
import { newPassword } from '../auth/passwords.js';
import { type Policy, requireRank, requireRight } from '../auth/policy.js';
import { invalid, invalidLink, unauthenticated } from '../errors.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { intId, uuidId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { type Limiter, requirePassing } from '../http/limits/rate-limit.js';
import {
  FollowedInvitationType,
  InvitationType,
  InvitedAccountType,
  InviteMemberInput,
  invitedMember,
  ReceivedInvitationType,
} from './invitation.type.js';
import type { FollowedInvitation, InvitationAnswers } from './invitation-answers.service.js';
import type { Invitations } from './invitations.service.js';

type Services = Readonly<{
  invitations: Invitations;
  invitationAnswers: InvitationAnswers;
  policy: Pick<Policy, 'requireTeam'>;
  login: Login;
  limiter: Limiter;
}>;

@Resolver(() => InvitationType)
export class InvitationsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [InvitationType], {
    description: 'The pending invitations of a team, sorted by address, for its managers.',
    complexity: listCost(20),
  })
  async invitations(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<InvitationType[]> {
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    return this.services.invitations.ofTeam(id);
  }

  @Query(() => FollowedInvitationType, {
    description: 'The pending invitation of a one-time link, for the holder of the link; it is not used up.',
  })
  async followedInvitation(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
  ): Promise<FollowedInvitationType> {
    const invitation = await this.services.invitationAnswers.follow(token);
    if (!invitation) throw invalidLink();
    return invitation;
  }

  @Authorized()
  @Mutation(() => InvitationType, {
    description:
      'Invites an address to a team: an e-mail carries a link, which leads to `/panel/invitation#<token>` and holds ' +
      'for seven days. An invitation makes no member before it is accepted. Doing it again sends the pending invitation again, with ' +
      'what is given now. Only owners and staff invite owners. A team may invite 50 times a day, and three times ' +
      'the same address.',
  })
  async inviteMember(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Arg('input', () => InviteMemberInput, { description: 'Who.' }) input: InviteMemberInput,
    @Ctx() context: ViewerContext,
  ): Promise<InvitationType> {
    const { limiter, policy, invitations } = this.services;
    const id = await policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage');
    const invited = { ...readInput(invitedMember, input), teamId: id };
    requirePassing(
      await limiter.consume(
        // The team's limit is first, or it could fill the memory with counters of made-up addresses.
        { limit: 'invitations', key: String(id) },
        { limit: 'invitations-address', key: `${id} ${invited.email}` },
      ),
    );
    return invitations.invite(invited, panelActor(context), (before) =>
      requireRank(context.viewer, id, invited.role, before),
    );
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Takes a pending invitation back; its link is void at once. Only owners and staff deal with owners.',
  })
  async revokeInvitation(
    @Arg('id', () => ID, { description: 'Which invitation.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const found = await this.services.invitations.find(uuidId(id, 'Invitation'));
    const invitation = requireRight(context.viewer, found, 'manage', 'Invitation');
    requireRank(context.viewer, invitation.teamId, invitation.role);
    await this.services.invitations.revoke(invitation, panelActor(context));
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Accepts an invitation, once: by its `id`, as the account of the invited address; or by the `token` of its ' +
      'link and a password, which logs in as `login` does; false: a second step is needed first. The password is that of the account if the address has one, where it is ' +
      'an attempt as in `login`; else it becomes that of the new account.',
  })
  async acceptInvitation(
    @Arg('id', () => ID, { nullable: true, description: 'Which invitation of the viewer.' })
    id: string | null,
    @Arg('token', () => String, {
      nullable: true,
      description: 'Or the token after the # of its one-time link.',
    })
    token: string | null,
    @Arg('password', () => String, {
      nullable: true,
      description:
        'Beside the token, unless the viewer has the invited address. A new one: 12 to 200 characters.',
    })
    password: string | null,
    @Ctx() context: PanelContext,
  ): Promise<boolean> {
    const { viewer, client } = context;
    const { invitationAnswers } = this.services;
    if ((id == null) === (token == null)) throw invalid({ id: ['Give either the id or the token.'] });
    if (id != null) {
      if (!viewer) throw unauthenticated();
      await invitationAnswers.accept(uuidId(id, 'Invitation'), viewer.email, client);
      return true;
    }
    const invitation = await invitationAnswers.follow(token!);
    if (!invitation) throw invalidLink();
    const isViewers = viewer?.email === invitation.email;
    if (!isViewers && !invitation.hasPassword) return this.acceptAsNew(invitation, password, context);
    if (!isViewers && !(await this.logIn(invitation, password, context))) return false;
    await invitationAnswers.accept(invitation.id, invitation.email, client);
    return true;
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Declines an invitation of the viewer; its link is void at once.' })
  async declineInvitation(
    @Arg('id', () => ID, { description: 'Which invitation.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { email } = context.viewer;
    await this.services.invitationAnswers.decline(uuidId(id, 'Invitation'), email, panelActor(context));
    return true;
  }

  @FieldResolver(() => InvitedAccountType, {
    description: 'The invited person in the shape of an account.',
    deprecationReason: 'An invitation is no account. Its own fields say the same.',
  })
  account(@Root() { id, email, name, createdAt }: InvitationType): InvitedAccountType {
    return { id, email, name, createdAt, staff: false, canLogIn: false };
  }

  /** Accepts an invitation for an address without a password, and sets the given one. */
  private async acceptAsNew(
    invitation: FollowedInvitation,
    password: string | null,
    { client, enter }: PanelContext,
  ): Promise<boolean> {
    const chosen = readInput(newPassword, password ?? '', 'password');
    const opened = await this.services.invitationAnswers.acceptAsNew(invitation, chosen, client);
    if (!opened) throw invalidLink();
    return enter(opened);
  }

  /** Logs in to the existing account of an invited address: its one-time link alone opens no account in use. */
  private async logIn(
    { email }: FollowedInvitation,
    password: string | null,
    { client, enter }: PanelContext,
  ): Promise<boolean> {
    await limitAttempts(this.services.limiter, client, email);
    const opened = await this.services.login.open(email, password ?? '', client);
    if (!opened) throw invalid({ password: ['is not that of the account that this address has'] });
    return enter(opened);
  }
}

@Resolver(() => ViewerType)
export class ViewerInvitationsResolver {
  constructor(private readonly services: Pick<Services, 'invitationAnswers'>) {}

  @FieldResolver(() => [ReceivedInvitationType], {
    description: 'The pending invitations of the viewer’s address, the latest first.',
    complexity: listCost(5),
  })
  invitations(@Ctx() { viewer }: ViewerContext): Promise<ReceivedInvitationType[]> {
    return this.services.invitationAnswers.received(viewer.email);
  }
}
