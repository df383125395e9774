import { Arg, Args, Authorized, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { type Connection, readPage, toConnection } from '../graphql/connection.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { pageCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { given } from '../lib/changes.js';
import { text } from '../lib/input.schema.js';
import {
  AccountAccessType,
  AccountArgs,
  AccountConnection,
  AccountPasswordType,
  AccountType,
  CreateUserInput,
  loginName,
  newUser,
  UpdateUserInput,
  userSettings,
} from './account.type.js';
import type { Accounts } from './accounts.service.js';

@Resolver(() => AccountType)
export class UsersResolver {
  constructor(private readonly services: Readonly<{ accounts: Accounts }>) {}

  @Authorized('staff')
  @Query(() => AccountConnection, { description: 'Accounts, by their addresses.', complexity: pageCost })
  async users(@Args(() => AccountArgs) args: AccountArgs): Promise<Connection<AccountType>> {
    const page = readPage(args, ['string']);
    const filter = {
      search: readInput(text(255), args.search, 'search'),
      staff: args.staff ?? null,
      disabled: args.disabled ?? null,
      secondFactor: args.secondFactor ?? null,
      teamId: args.teamId == null ? null : intId(args.teamId, 'Team'),
    };
    return toConnection(
      await this.services.accounts.list(filter, page),
      page,
      ({ email }) => [email],
      (row) => row,
    );
  }

  @Authorized('staff')
  @Mutation(() => AccountPasswordType, { description: 'Creates an account and draws its password.' })
  createUser(
    @Arg('input', () => CreateUserInput, { description: 'The account.' }) input: CreateUserInput,
    @Ctx() context: ViewerContext,
  ): Promise<AccountPasswordType> {
    return this.services.accounts.create(readInput(newUser, input), panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => AccountType, {
    description: 'Changes an account. Staff cannot take away their own staff standing.',
  })
  updateUser(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Arg('input', () => UpdateUserInput, { description: 'What changes.' }) input: UpdateUserInput,
    @Ctx() context: ViewerContext,
  ): Promise<AccountType> {
    const settings = given(readInput(userSettings, input));
    return this.services.accounts.update(intId(id, 'Account'), settings, panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => Boolean, {
    description:
      'Sends a link to an address with which an account is to log in, as `requestEmailChange` does for the viewer; the ' +
      'address changes when the link is followed. Staff change their own with their password.',
  })
  async requestUserEmailChange(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Arg('email', () => String, { description: 'The new login name.' }) email: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const wanted = readInput(loginName, email, 'email');
    await this.services.accounts.requestEmail(intId(id, 'Account'), wanted, panelActor(context));
    return true;
  }

  @Authorized('staff')
  @Mutation(() => AccountPasswordType, {
    description:
      "Draws a new password for an account and ends its sessions and open links. CONFLICT for the viewer's own account.",
  })
  resetUserPassword(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<AccountPasswordType> {
    return this.services.accounts.resetPassword(intId(id, 'Account'), panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => AccountType, {
    description:
      'Disables an account, which ends its sessions and open links and makes its tokens refused, or enables it ' +
      'again. Staff cannot disable their own.',
  })
  setUserDisabled(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Arg('disabled', () => Boolean, { description: 'Whether it is disabled from now on.' }) disabled: boolean,
    @Ctx() context: ViewerContext,
  ): Promise<AccountType> {
    return this.services.accounts.setDisabled(intId(id, 'Account'), disabled, panelActor(context));
  }

  @Authorized('staff')
  @Mutation(() => Boolean, {
    description:
      'Removes the second factor of an account whose owner has lost it, and ends its sessions; false when it had none. ' +
      'CONFLICT for that of the viewer, who removes it by `removeSecondFactor`.',
  })
  resetUserSecondFactor(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    return this.services.accounts.resetSecondFactor(intId(id, 'Account'), panelActor(context));
  }

  @Authorized('staff')
  @FieldResolver(() => AccountAccessType, { description: 'How it is let in, for staff alone.' })
  async access(@Root() { id }: AccountType, @Ctx() { load }: PanelContext): Promise<AccountAccessType> {
    return (await load(this.services.accounts.accessOf, id))!;
  }
}
