import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { panelActor } from '../auth/panel-actor.js';
import { type Connection, PageArgs, readPage, toConnection } from '../graphql/connection.js';
import type { ViewerContext } from '../graphql/context.js';
import { pageCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import { given } from '../lib/changes.js';
import { text } from '../lib/schemas.js';
import {
  AccountConnection,
  AccountPasswordType,
  AccountType,
  CreateUserInput,
  newUser,
  UpdateUserInput,
  userSettings,
} from './account.type.js';
import type { Accounts } from './accounts.service.js';

@Resolver()
export class UsersResolver {
  constructor(private readonly services: Readonly<{ accounts: Accounts }>) {}

  @Authorized('staff')
  @Query(() => AccountConnection, { description: 'Accounts, by their addresses.', complexity: pageCost })
  async users(
    @Args(() => PageArgs) args: PageArgs,
    @Arg('search', () => String, {
      defaultValue: '',
      description: 'Part of the address or the name, in any case.',
    })
    search: string,
  ): Promise<Connection<AccountType>> {
    const page = readPage(args, ['string']);
    return toConnection(
      await this.services.accounts.list(readInput(text(255), search, 'search'), page),
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
  @Mutation(() => AccountPasswordType, {
    description: 'Draws a new password for an account and ends its sessions and open links.',
  })
  resetUserPassword(
    @Arg('id', () => ID, { description: 'Which account.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<AccountPasswordType> {
    return this.services.accounts.resetPassword(intId(id, 'Account'), panelActor(context));
  }
}
