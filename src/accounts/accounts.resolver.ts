import { Arg, Authorized, Ctx, FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import type { Credentials } from '../auth/credentials.service.js';
import type { Login } from '../auth/login.service.js';
import { attemptKey, limitAttempts } from '../auth/login-limit.js';
import { panelActor } from '../auth/panel-actor.js';
import { newPassword } from '../auth/passwords.js';
import { SecondFactorType } from '../auth/second-factor/second-factor.type.js';
import type { SecondFactors } from '../auth/second-factor/second-factors.service.js';
import type { Sessions } from '../auth/sessions.service.js';
import { ApiError, invalid, invalidLink } from '../errors.js';
import { PanelLanguage } from '../generated/prisma/enums.js';
import type { PanelContext, ViewerContext } from '../graphql/context.js';
import { readInput } from '../graphql/read-input.js';
import { type Limiter, requirePassing } from '../http/limits/rate-limit.js';
import { given } from '../lib/changes.js';
import { loginName, UpdateViewerInput, ViewerType, viewerSettings } from './account.type.js';
import type { Accounts } from './accounts.service.js';

type Services = Readonly<{
  accounts: Accounts;
  login: Login;
  sessions: Sessions;
  credentials: Credentials;
  limiter: Limiter;
  secondFactors: Pick<SecondFactors, 'stateOf'>;
}>;

/** Creates the error of a wrong password and of an unknown account, so that the two read the same. */
const wrongCredentials = () => new ApiError(401, { message: 'E-mail or password is wrong.' });

@Resolver(() => ViewerType)
export class AccountsResolver {
  constructor(private readonly services: Services) {}

  @Query(() => ViewerType, {
    nullable: true,
    description: 'The account that is logged in; null when there is none.',
  })
  me(@Ctx() { viewer }: PanelContext): ViewerType | null {
    return viewer;
  }

  @FieldResolver(() => SecondFactorType, { description: 'The authenticator app of the account.' })
  secondFactor(@Ctx() { viewer }: ViewerContext): Promise<SecondFactorType> {
    return this.services.secondFactors.stateOf(viewer.userId);
  }

  @Mutation(() => Boolean, {
    description:
      'Logs in: sets the session cookie. False: the password is right, and a second step is needed (`loginStep`). ' +
      'Ten attempts a quarter of an hour for each account and address.',
  })
  async login(
    @Arg('email', () => String, { description: 'The login name.' }) email: string,
    @Arg('password', () => String, { description: 'The password.' }) password: string,
    @Ctx() { client, enter }: PanelContext,
  ): Promise<boolean> {
    await limitAttempts(this.services.limiter, client, email);
    const opened = await this.services.login.open(email, password, client);
    if (!opened) throw wrongCredentials();
    return enter(opened);
  }

  @Mutation(() => Boolean, {
    description:
      'Logs in by the token of the link that `npm start` prints for its demo, once and within an hour; nowhere else.',
  })
  async loginByLink(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
    @Ctx() { client, enter }: PanelContext,
  ): Promise<boolean> {
    const opened = await this.services.login.openByLink(token, client);
    if (!opened) throw invalidLink();
    return enter(opened);
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Ends this session and takes the cookie away.' })
  async logout(@Ctx() context: ViewerContext): Promise<boolean> {
    const { userId, sessionId } = context.viewer;
    await this.services.sessions.end({ userId, reason: 'logout', only: sessionId }, panelActor(context));
    context.leave();
    return true;
  }

  @Authorized()
  @Mutation(() => ViewerType, { description: 'Changes the account of the viewer.' })
  async updateViewer(
    @Arg('input', () => UpdateViewerInput, { description: 'What changes.' }) input: UpdateViewerInput,
    @Ctx() context: ViewerContext,
  ): Promise<ViewerType> {
    const { viewer } = context;
    const settings = given(readInput(viewerSettings, input));
    await this.services.accounts.update(viewer.userId, settings, panelActor(context));
    return { ...viewer, ...settings };
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description: 'Changes the password of the viewer and ends every other session. Limited as `login` is.',
  })
  async changePassword(
    @Arg('current', () => String, { description: 'The password until now.' }) current: string,
    @Arg('new', () => String, { description: 'The password from now on: 12 to 200 characters.' })
    wanted: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { viewer, client } = context;
    readInput(newPassword, wanted, 'new');
    await limitAttempts(this.services.limiter, client, viewer.email);
    const isChanged = await this.services.credentials.change(
      viewer,
      { current, wanted },
      panelActor(context),
    );
    if (!isChanged) throw invalid({ current: ['is wrong'] });
    return true;
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Sends a link to an address with which the viewer is to log in; the address changes when the link is followed. ' +
      'It leads to `/panel/email#<token>` and holds for an hour; another request ends it. Limited as `login` and ' +
      '`requestPasswordReset` are.',
  })
  async requestEmailChange(
    @Arg('email', () => String, { description: 'The new login name.' }) email: string,
    @Arg('password', () => String, { description: 'The password of the viewer.' }) password: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { viewer, client } = context;
    const { limiter, credentials } = this.services;
    const wanted = { email: readInput(loginName, email, 'email'), password };
    await limitAttempts(limiter, client, viewer.email);
    requirePassing(await limiter.consume({ limit: 'password-reset', key: attemptKey(client, viewer.email) }));
    const isRequested = await credentials.requestEmail(viewer, wanted, panelActor(context));
    if (!isRequested) throw invalid({ password: ['is wrong'] });
    return true;
  }

  @Query(() => String, {
    description: 'The address that a link gives an account, for the holder of the link; it is not used up.',
  })
  async followedEmailChange(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
  ): Promise<string> {
    const email = await this.services.credentials.followEmailChange(token);
    if (email === null) throw invalidLink();
    return email;
  }

  @Mutation(() => Boolean, {
    description: 'Gives an account the address to which a link was sent, by its token. It does not log in.',
  })
  async confirmEmailChange(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
    @Ctx() { client }: PanelContext,
  ): Promise<boolean> {
    if (!(await this.services.credentials.confirmEmail(token, client))) throw invalidLink();
    return true;
  }

  @Mutation(() => Boolean, {
    description:
      'Sends a link for a new password to an account, if there is one; the answer is true in any case. The link ' +
      'leads to `/panel/reset#<token>` and holds for an hour; for its first quarter no other is sent. Five ' +
      'requests an hour for each account and address.',
  })
  async requestPasswordReset(
    @Arg('email', () => String, { description: 'The login name.' }) email: string,
    @Arg('language', () => PanelLanguage, {
      nullable: true,
      description: 'That of the page, in which the e-mail is when the account has chosen none.',
    })
    language: PanelLanguage | null,
    @Ctx() { client }: PanelContext,
  ): Promise<boolean> {
    const hits = [
      // The address's limit is first, as in limitAttempts.
      { limit: 'login-address', key: client.ipKey },
      { limit: 'password-reset', key: attemptKey(client, email) },
    ] as const;
    requirePassing(await this.services.limiter.consume(...hits));
    this.services.credentials.requestReset(email, language, client);
    return true;
  }

  @Query(() => String, {
    description:
      'The login name of the account of a reset link, for the holder of the link; it is not used up.',
  })
  async followedReset(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
  ): Promise<string> {
    const email = await this.services.credentials.followReset(token);
    if (email === null) throw invalidLink();
    return email;
  }

  @Mutation(() => Boolean, {
    description:
      'Sets a new password by the token of a reset link, ends every session, and logs in as `login` does; false: a ' +
      'second step is needed.',
  })
  async resetPassword(
    @Arg('token', () => String, { description: 'The token after the # of the one-time link.' }) token: string,
    @Arg('password', () => String, { description: 'The new password: 12 to 200 characters.' })
    password: string,
    @Ctx() { client, enter }: PanelContext,
  ): Promise<boolean> {
    readInput(newPassword, password, 'password');
    const opened = await this.services.credentials.reset(token, password, client);
    if (!opened) throw invalidLink();
    return enter(opened);
  }
}
