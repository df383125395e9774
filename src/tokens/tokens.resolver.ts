import { Arg, Authorized, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { AccountType } from '../accounts/account.type.js';
import type { Accounts } from '../accounts/accounts.service.js';
import { panelActor } from '../auth/panel-actor.js';
import { type Policy, requireRight } from '../auth/policy.js';
import type { Viewer } from '../auth/viewer.js';
import { forbidden } from '../errors.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { intId } from '../graphql/ids.js';
import { readInput } from '../graphql/read-input.js';
import type { Limiter } from '../http/limits/rate-limit.js';
import type { Clock } from '../lib/clock.js';
import { limitCreations } from './bearer.js';
import { CreatedTokenType, CreateTokenInput, newToken, TokenType } from './token.type.js';
import type { Tokens } from './tokens.service.js';

type Services = Readonly<{
  panelTokens: Tokens;
  policy: Pick<Policy, 'requireTeam'>;
  accounts: Accounts;
  limiter: Limiter;
  clock: Clock;
}>;

@Resolver(() => TokenType)
export class TokensResolver {
  constructor(private readonly services: Services) {}

  /** @throws 404, 403. */
  private requireTeam(viewer: Viewer, id: string): Promise<number> {
    return this.services.policy.requireTeam(viewer, intId(id, 'Team'), 'manage');
  }

  @Authorized()
  @Query(() => [TokenType], {
    description: 'The tokens for a team, of all bearers, expired ones included.',
    complexity: listCost(20),
  })
  async tokens(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Ctx() { viewer }: ViewerContext,
  ): Promise<TokenType[]> {
    return (await this.services.panelTokens.listOfTeam(
      await this.requireTeam(viewer, teamId),
    )) as TokenType[];
  }

  @Authorized()
  @Mutation(() => CreatedTokenType, {
    description:
      'Creates a token for a team. Its bearer is the viewer, who must be an owner or admin of the team for as long ' +
      'as it is to work; staff who do not belong to the team can hold none. CONFLICT beyond 1,000 tokens of a bearer, ' +
      'expired ones included.',
  })
  async createToken(
    @Arg('teamId', () => ID, { description: 'For which team.' }) teamId: string,
    @Arg('input', () => CreateTokenInput, { description: 'The token.' }) input: CreateTokenInput,
    @Ctx() context: ViewerContext,
  ): Promise<CreatedTokenType> {
    const { viewer } = context;
    const key = { teamId: await this.requireTeam(viewer, teamId), userId: viewer.userId };
    if (!viewer.roles.has(key.teamId)) {
      throw forbidden(
        'A token works only while its bearer is an owner or admin of the team, and you do not belong to it. ' +
          'Become a member, or ask one of them to create it.',
      );
    }
    const wanted = readInput(newToken(this.services.clock()), input);
    await limitCreations(this.services.limiter, key);
    const { token, value } = await this.services.panelTokens.create(
      { ...wanted, ...key },
      panelActor(context),
    );
    return { token: token as TokenType, value };
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Revokes a token of any member of the team at once.' })
  async revokeToken(
    @Arg('id', () => ID, { description: 'Which token.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const found = await this.services.panelTokens.find(intId(id, 'Token'));
    const token = requireRight(context.viewer, found, 'manage', 'Token');
    await this.services.panelTokens.revokeAny(token, panelActor(context));
    return true;
  }

  @Authorized()
  @Mutation(() => Int, {
    description: 'Revokes every token for a team at once, of all bearers; the answer is how many.',
  })
  async revokeTokens(
    @Arg('teamId', () => ID, { description: 'Of which team.' }) teamId: string,
    @Ctx() context: ViewerContext,
  ): Promise<number> {
    const id = await this.requireTeam(context.viewer, teamId);
    return this.services.panelTokens.revokeOfTeam(id, panelActor(context));
  }

  @FieldResolver(() => AccountType, { description: 'The member whose rights in the team the token has.' })
  async bearer(@Root() { userId }: TokenType, @Ctx() { load }: ViewerContext): Promise<AccountType> {
    return (await load(this.services.accounts.byIds, userId))!;
  }
}
