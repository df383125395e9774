import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { notFound } from '../errors.js';
import type { ViewerContext } from '../graphql/context.js';
import { listCost } from '../graphql/cost.js';
import { uuidId } from '../graphql/ids.js';
import type { Database } from '../lib/prisma.js';
import { SessionType } from './session.type.js';
import type { Sessions } from './sessions.service.js';

type Services = Readonly<{ sessions: Sessions; db: Database }>;

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
    @Ctx() { viewer }: ViewerContext,
  ): Promise<boolean> {
    const isEnded = await this.services.sessions.revoke(viewer.userId, uuidId(id, 'Session'));
    if (!isEnded) throw notFound('Session not found.');
    return true;
  }

  @Authorized()
  @Mutation(() => Int, { description: 'Ends every session of the viewer but this one; how many there were.' })
  revokeOtherSessions(@Ctx() { viewer }: ViewerContext): Promise<number> {
    return this.services.sessions.revokeOthers(this.services.db, viewer.userId, viewer.sessionId);
  }
}
