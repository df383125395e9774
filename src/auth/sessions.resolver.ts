import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { notFound } from '../errors.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { uuidId } from '../graphql/ids.js';
import { panelActor } from './panel-actor.js';
import { SessionType } from './session.type.js';
import type { Sessions } from './sessions.service.js';

type Services = Readonly<{ sessions: Sessions }>;

@Resolver()
export class SessionsResolver {
  constructor(private readonly services: Services) {}

  @Authorized()
  @Query(() => [SessionType], {
    description: 'Where the viewer is logged in, the latest first.',
    complexity: listCost(10),
  })
  async sessions(@Ctx() { viewer }: ViewerContext): Promise<SessionType[]> {
    const listed = await this.services.sessions.list(viewer.userId);
    return listed.map((session) => ({ ...session, current: session.id === viewer.sessionId }));
  }

  @Authorized()
  @Mutation(() => Boolean, { description: 'Ends one session of the viewer, at once.' })
  async revokeSession(
    @Arg('id', () => ID, { description: 'Which session.' }) id: string,
    @Ctx() context: ViewerContext,
  ): Promise<boolean> {
    const { userId } = context.viewer;
    const ending = { userId, reason: 'revoked', only: uuidId(id, 'Session') } as const;
    const ended = await this.services.sessions.end(ending, panelActor(context));
    if (ended === 0) throw notFound('Session not found.');
    return true;
  }

  @Authorized()
  @Mutation(() => Int, { description: 'Ends every session of the viewer but this one; how many there were.' })
  revokeOtherSessions(@Ctx() context: ViewerContext): Promise<number> {
    const { userId, sessionId } = context.viewer;
    const ending = { userId, reason: 'revoked', except: sessionId } as const;
    return this.services.sessions.end(ending, panelActor(context));
  }
}
