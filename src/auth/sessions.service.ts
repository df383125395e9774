import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type Actor, recordAudit, recordAudits } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import type { Session } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { sha256 } from '../lib/crypto/sha256.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { defineJob } from '../queue/define-job.js';
import { createSessionReader, endViews } from './sessions.queries.js';
import { viewEnded } from './view-ended.js';
import type { Viewer } from './viewer.js';

/** Job that deletes the sessions that have ended. */
export const purgeSessionsJob = defineJob('accounts-purge-sessions', z.object({}));

/** Lifetime of a session, in seconds; activity does not extend it. */
export const SESSION_TTL_S = 14 * 24 * 3600;

const LAST_SEEN_EVERY_MS = 60_000;

/** A session as its owner may see it: everything but the secret. */
export type ListedSession = Pick<
  Session,
  'id' | 'ip' | 'userAgent' | 'createdAt' | 'lastSeenAt' | 'expiresAt'
>;

/** Where a login came from. */
export type Client = Readonly<{ ip: string; userAgent: string | null }>;

/** Recorded reason why a session ended before it expired. */
type EndReason =
  | 'logout'
  | 'revoked'
  | 'password_changed'
  | 'password_reset'
  | 'second_factor_reset'
  | 'disabled'
  | 'deleted';

/** Selects live sessions of a user: one, all but one, or all. */
type Ending = Readonly<{ userId: number; reason: EndReason; only?: string; except?: string }>;

export type Sessions = ReturnType<typeof createSessions>;

/** Ends every view as a client that the sessions of a user have, within the caller's transaction. */
export async function endViewsWithin(tx: Transaction, userId: number, actor: Actor): Promise<void> {
  await recordAudits(tx, actor, (await endViews(tx, userId)).map(viewEnded));
}

/** Manages sessions of the panel. The secret alone authenticates the user; only its hash is stored. */
export function createSessions({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const warn = limitLog(log);
  const readSession = createSessionReader({ db, clock });
  const alive = () => ({ revokedAt: null, expiresAt: { gt: clock() } });

  function noteSeen(id: string): void {
    db.orm.session
      .updateMany({ where: { id }, data: { lastSeenAt: clock() } })
      .catch((error: Error) => warn(error, 'Session not noted as seen'));
  }

  /**
   * Ends live sessions of a user and records it, within the caller's transaction. Unless one alone is meant, logins
   * that wait for their second step end as well.
   *
   * @returns how many there were.
   */
  async function endWithin(
    tx: Transaction,
    { userId, reason, only, except }: Ending,
    actor: Actor,
  ): Promise<number> {
    if (!only) await tx.loginChallenge.deleteMany({ where: { userId } });
    const ended = await tx.session.updateManyAndReturn({
      where: { userId, ...alive(), ...(only && { id: only }), ...(except && { id: { not: except } }) },
      data: { revokedAt: clock() },
      select: { id: true, viewAsTeamId: true },
    });
    if (ended.length > 0) {
      await recordAudits(tx, actor, [
        {
          teamId: null,
          action: 'session.ended',
          subject: ['user', userId],
          detail: { reason, sessionIds: ended.map(({ id }) => id) },
        },
        ...ended.flatMap(({ viewAsTeamId }) => (viewAsTeamId === null ? [] : [viewEnded(viewAsTeamId)])),
      ]);
    }
    return ended.length;
  }

  return {
    /** Opens a session. @returns its secret, for the cookie. */
    async open(tx: Transaction, userId: number, { ip, userAgent }: Client): Promise<string> {
      const secret = randomBytes(32).toString('base64url');
      const now = clock();
      await tx.session.create({
        data: {
          userId,
          secretHash: sha256(secret),
          ip,
          userAgent: userAgent?.slice(0, 300) ?? null,
          createdAt: now,
          lastSeenAt: now,
          expiresAt: new Date(now.getTime() + SESSION_TTL_S * 1000),
        },
      });
      await tx.user.updateMany({ where: { id: userId }, data: { lastLoginAt: now } });
      return secret;
    },

    /** Finds the viewer of a secret, with roles and staff read afresh. Null when no live session has the secret. */
    async viewerOf(secret: string): Promise<Viewer | null> {
      const row = await readSession(sha256(secret));
      if (!row) return null;
      const { secretHash: _, lastSeenAt, ...viewer } = row;
      if (clock().getTime() - lastSeenAt.getTime() > LAST_SEEN_EVERY_MS) noteSeen(viewer.sessionId);
      const roles = new Map(Object.entries(row.roles).map(([id, role]) => [Number(id), role]));
      const { viewAsTeamId } = viewer;
      if (viewAsTeamId === null) return { ...viewer, roles };
      return { ...viewer, staff: false, roles: new Map([[viewAsTeamId, 'owner']]) };
    },

    /** Lists a user's live sessions, the latest first. */
    list(userId: number): Promise<ListedSession[]> {
      return db.orm.session.findMany({
        where: { userId, ...alive() },
        select: {
          id: true,
          ip: true,
          userAgent: true,
          createdAt: true,
          lastSeenAt: true,
          expiresAt: true,
        },
        orderBy: { createdAt: 'desc' },
      });
    },

    /** Ends live sessions as `endWithin` does, in its own transaction. */
    end: (ending: Ending, actor: Actor): Promise<number> =>
      db.orm.$transaction((tx) => endWithin(tx, ending, actor)),

    endWithin,

    /**
     * Deletes the sessions and challenges that have ended, and returns how many sessions. A view of a team that lasted
     * until its session expired is recorded as ended.
     */
    async purge(): Promise<number> {
      const now = clock();
      await db.orm.loginChallenge.deleteMany({ where: { expiresAt: { lte: now } } });
      return db.orm.$transaction(async (tx) => {
        const viewing = await tx.session.updateManyAndReturn({
          where: { expiresAt: { lte: now }, revokedAt: null, viewAsTeamId: { not: null } },
          data: { revokedAt: now },
          select: { userId: true, viewAsTeamId: true },
        });
        for (const { userId, viewAsTeamId } of viewing)
          await recordAudit(tx, { userId, channel: 'system' }, viewEnded(viewAsTeamId!));
        const { count } = await tx.session.deleteMany({
          where: { OR: [{ expiresAt: { lte: now } }, { revokedAt: { not: null } }] },
        });
        return count;
      });
    },
  };
}
