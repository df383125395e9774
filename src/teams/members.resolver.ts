import { Arg, Authorized, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { type Policy, requireRank, requireRoleChange } from '../auth/policy.js';
import { Role } from '../generated/prisma/enums.js';
import type { ViewerContext } from '../graphql/context.js';
import { intId } from '../graphql/ids.js';
import type { Members } from './members.service.js';
import { MemberType } from './team.type.js';

type Services = Readonly<{ members: Members; policy: Pick<Policy, 'requireTeam'> }>;

@Resolver()
export class MembersResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Mutation(() => MemberType, {
    description:
      'Gives a member another role. A member who becomes a plain member loses every token for the team at once. The ' +
      'last owner stays one.',
  })
  async changeRole(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Arg('userId', () => ID, { description: 'Which member, by the account.' }) userId: string,
    @Arg('role', () => Role, { description: 'The role from now on.' }) role: Role,
    @Ctx() context: ViewerContext,
  ): Promise<MemberType> {
    const key = {
      teamId: await this.services.policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'manage'),
      userId: intId(userId, 'Member'),
    };
    return this.services.members.changeRole(key, role, panelActor(context), (before) =>
      requireRoleChange(context.viewer, key, before, role),
    );
  }

  @Authorized()
  @Mutation(() => MemberType, {
    description:
      'Hands the ownership of a team over to one of its members, at once: the owner becomes an admin. For owners and staff.',
  })
  async transferOwnership(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Arg('userId', () => ID, { description: 'The member who becomes an owner, by the account.' })
    userId: string,
    @Arg('fromUserId', () => ID, {
      nullable: true,
      description: 'The owner who becomes an admin, by the account; null: the viewer.',
    })
    fromUserId: string | null,
    @Ctx() context: ViewerContext,
  ): Promise<MemberType> {
    const { viewer } = context;
    const id = await this.services.policy.requireTeam(viewer, intId(teamId, 'Team'), 'manage');
    requireRank(viewer, id, 'owner');
    const from = fromUserId == null ? viewer.userId : intId(fromUserId, 'Member');
    const transfer = { teamId: id, from, to: intId(userId, 'Member') };
    return this.services.members.transferOwnership(transfer, panelActor(context));
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Removes a member from a team and revokes every token of the member for it. Any member but the last owner may leave.',
  })
  async removeMember(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Arg('userId', () => ID, { description: 'Which member, by the account.' }) userId: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const key = {
      teamId: await this.services.policy.requireTeam(context.viewer, intId(teamId, 'Team'), 'read'),
      userId: intId(userId, 'Member'),
    };
    await this.services.members.remove(key, panelActor(context), (before) =>
      requireRoleChange(context.viewer, key, before, null),
    );
    return true;
  }
}
