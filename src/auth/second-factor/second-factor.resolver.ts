import { Arg, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Db } from '../../db/client.js';
import { ApiError, invalid, unauthenticated } from '../../errors.js';
import type { PanelContext, ViewerContext } from '../../graphql/context.js';
import type { Limiter } from '../../http/limits/rate-limit.js';
import type { Credentials } from '../credentials.service.js';
import type { Login } from '../login.service.js';
import { limitAttempts } from '../login-limit.js';
import { panelActor } from '../panel-actor.js';
import type { Challenge, Challenges } from './challenges.service.js';
import { limitCodes } from './code-limit.js';
import { LoginStep, SecondFactorSecretType } from './second-factor.type.js';
import { setSecondFactorRequired } from './second-factor-setting.js';
import type { SecondFactors } from './second-factors.service.js';

type Services = Readonly<{
  db: Db;
  challenges: Challenges;
  secondFactors: SecondFactors;
  credentials: Credentials;
  login: Login;
  limiter: Limiter;
}>;

const CODE = 'A code of the authenticator app, or a recovery code; each is accepted once.';

const wrongCode = () => invalid({ code: ['is wrong, or was used before'] });

@Resolver()
export class SecondFactorResolver {
  constructor(private readonly services: Services) {}

  @Query(() => LoginStep, {
    nullable: true,
    description: 'The second step that a login of this browser waits for; null: none.',
  })
  async loginStep(@Ctx() { challenge }: PanelContext): Promise<LoginStep | null> {
    const found = await this.services.challenges.find(challenge);
    if (!found) return null;
    return found.needsEnrolment ? LoginStep.ENROLMENT : LoginStep.CODE;
  }

  @Mutation(() => Boolean, {
    description:
      'Takes the second step of a login: sets the session cookie. Ten attempts a quarter of an hour for each account. ' +
      'The first step holds for fifteen minutes.',
  })
  async confirmLogin(
    @Arg('code', () => String, { description: CODE }) code: string,
    @Ctx() context: PanelContext,
  ): Promise<boolean> {
    const challenge = await this.requireChallenge(context);
    await limitCodes(this.services.limiter, challenge.userId);
    const session = await this.services.login.confirm(challenge, code, context.client);
    if (!session) throw wrongCode();
    return context.enter({ session });
  }

  @Mutation(() => SecondFactorSecretType, {
    description:
      'Draws the secret of an authenticator app, which protects nothing before `confirmSecondFactor`. For the viewer ' +
      'with the password, limited as `login` is, or for the account whose login has to set one up.',
  })
  async startSecondFactor(
    @Arg('password', () => String, { nullable: true, description: 'The password of the viewer.' })
    password: string | null,
    @Ctx() context: PanelContext,
  ): Promise<SecondFactorSecretType> {
    const { viewer, client } = context;
    const { credentials, limiter, secondFactors } = this.services;
    if (!viewer) return secondFactors.start(await this.requireEnrolment(context));
    await limitAttempts(limiter, client, viewer.email);
    if (!(await credentials.verify(viewer, password ?? ''))) throw invalid({ password: ['is wrong'] });
    return secondFactors.start(viewer);
  }

  @Mutation(() => [String], {
    description:
      'Confirms the authenticator app by its first code, and answers ten recovery codes, which are never shown again. ' +
      'For the account whose login has to set one up it also logs in.',
  })
  async confirmSecondFactor(
    @Arg('code', () => String, { description: 'The first code of the authenticator app.' }) code: string,
    @Ctx() context: PanelContext,
  ): Promise<string[]> {
    const { viewer, client } = context;
    const { db, limiter, login, secondFactors } = this.services;
    if (!viewer) {
      const challenge = await this.requireEnrolment(context);
      await limitCodes(limiter, challenge.userId);
      const enrolled = await login.enrol(challenge, code, client);
      if (!enrolled) throw wrongCode();
      context.enter(enrolled);
      return enrolled.recoveryCodes;
    }
    await limitCodes(limiter, viewer.userId);
    const actor = panelActor({ viewer, client });
    const codes = await db.orm.$transaction((tx) =>
      secondFactors.confirmWithin(tx, viewer.userId, code, actor),
    );
    if (!codes) throw wrongCode();
    return codes;
  }

  @Authorized()
  @Mutation(() => [String], {
    description:
      'Draws ten new recovery codes for the viewer in place of those before; they are never shown again.',
  })
  async renewRecoveryCodes(
    @Arg('code', () => String, { description: CODE }) code: string,
    @Ctx() context: ViewerContext,
  ): Promise<string[]> {
    const { userId } = context.viewer;
    await limitCodes(this.services.limiter, userId);
    const codes = await this.services.secondFactors.renewCodes(userId, code, panelActor(context));
    if (!codes) throw wrongCode();
    return codes;
  }

  @Authorized()
  @Mutation(() => Boolean, {
    description:
      'Removes the authenticator app and the recovery codes of the viewer, who may have to keep them.',
  })
  async removeSecondFactor(
    @Arg('code', () => String, { description: CODE }) code: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { userId } = context.viewer;
    await limitCodes(this.services.limiter, userId);
    if (!(await this.services.secondFactors.remove(userId, code, panelActor(context)))) throw wrongCode();
    return true;
  }

  @Authorized('staff')
  @Mutation(() => Boolean, {
    description:
      'Sets whether staff need a second factor. Those without one set it up with their next login. Answers the setting.',
  })
  async requireStaffSecondFactor(
    @Arg('required', () => Boolean, { description: 'Whether they need one.' }) required: boolean,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    await setSecondFactorRequired(this.services.db, required, panelActor(context));
    return required;
  }

  private async requireChallenge({ challenge }: PanelContext): Promise<Challenge> {
    const found = await this.services.challenges.find(challenge);
    if (!found)
      throw new ApiError(401, { message: 'This login has expired. Begin with the password again.' });
    return found;
  }

  private async requireEnrolment(context: PanelContext): Promise<Challenge> {
    if (context.challenge === null) throw unauthenticated();
    const found = await this.requireChallenge(context);
    if (!found.needsEnrolment) throw unauthenticated();
    return found;
  }
}
