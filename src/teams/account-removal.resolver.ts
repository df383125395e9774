import { Arg, Authorized, Ctx, FieldResolver, ID, Mutation, Resolver, Root } from 'type-graphql';
import { AccountType } from '../accounts/account.type.js';
import { panelActor } from '../auth/panel-actor.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import type { AccountRemoval } from './account-removal.service.js';
import { MembershipType } from './team.type.js';

type Services = Readonly<{ accountRemoval: AccountRemoval }>;

@Resolver()
export class AccountRemovalResolver {
  constructor(private readonly services: Services) {}

  @Authorized('staff')
  @Mutation(() => Boolean, {
    description:
      'Deletes an account: its memberships end and its tokens are revoked; the audit trail keeps its actor without ' +
      'name and address. Refused for the only owner of a team, and for the viewer’s own account.',
  })
  async deleteUser(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    await this.services.accountRemoval.remove(intId(id, 'Account'), panelActor(context));
    return true;
  }
}

@Resolver(() => AccountType)
export class AccountTeamsResolver {
  constructor(private readonly services: Services) {}

  @Authorized('staff')
  @FieldResolver(() => [MembershipType], {
    description: 'The teams that it belongs to, for staff alone.',
    complexity: listCost(5),
  })
  async memberships(@Root() { id }: AccountType, @Ctx() { load }: PanelContext): Promise<MembershipType[]> {
    return [...(await load(this.services.accountRemoval.membershipsOf, id))];
  }
}
