import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { ApiError } from '../errors.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { type Limiter, requirePassing } from '../http/rate-limit.js';
import { ViewerType } from './account.type.js';
import type { Login } from './login.service.js';
import type { Sessions } from './sessions.service.js';

type Services = Readonly<{ login: Login; sessions: Sessions; limiter: Limiter }>;

/** Accounts are not told apart by the answer: the wrong password and the unknown account read the same. */
const wrongCredentials = () => new ApiError(401, { message: 'E-mail or password is wrong.' });

@Resolver()
export class AccountsResolver {
  constructor(private readonly services: Services) {}

  @Query(() => ViewerType, { nullable: true, description: 'Whoever is logged in; null when nobody is.' })
  me(@Ctx() { viewer }: PanelContext): ViewerType | null {
    return viewer;
  }

  @Mutation(() => Boolean, {
    description:
      'Logs in: sets the session cookie. Ten attempts a quarter of an hour for each account and address.',
  })
  async login(
    @Arg('email', () => String, { description: 'The login name.' }) email: string,
    @Arg('password', () => String, { description: 'The password.' }) password: string,
    @Ctx() { client, setSession }: PanelContext,
  ): Promise<boolean> {
    const { login, limiter } = this.services;
    const key = `${email.trim().toLowerCase().slice(0, 254)} ${client.ipKey}`;
    requirePassing(await limiter.consume({ limit: 'login', key }));
    const secret = await login.open(email, password, client);
    if (!secret) throw wrongCredentials();
    setSession(secret);
    return true;
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Ends this session and takes the cookie away.' })
  async logout(@Ctx() { viewer, setSession }: ViewerContext): Promise<boolean> {
    await this.services.sessions.revoke(viewer.userId, viewer.sessionId);
    setSession(null);
    return true;
  }
}
