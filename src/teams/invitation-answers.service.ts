import { lockAccountOf } from '../accounts/accounts.queries.js';
import { createUser } from '../accounts/users.js';
import { type Actor, recordAudit } from '../audit/audit.js';
import type { OneTimeLinks } from '../auth/one-time-links.js';
import { hashPassword } from '../auth/passwords.js';
import type { IssuedLogin, SessionIssuer } from '../auth/session-issuer.js';
import type { Client } from '../auth/sessions.service.js';
import type { Db, Transaction } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { invitationNotFound } from '../errors.js';
import type { Prisma, Role, User } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { type TakenInvitation, takeInvitation } from './invitations.queries.js';
import type { Teams } from './teams.service.js';

/** A pending invitation with the properties that its recipient sees. */
export type ReceivedInvitation = Readonly<{
  id: string;
  team: Readonly<{ name: string }>;
  role: Role;
  /** Name of the inviter; null when the account no longer exists. */
  invitedBy: string | null;
  expiresAt: Date;
}>;

/** The invitation of a one-time link, and whether its address has an account with a password. */
export type FollowedInvitation = ReceivedInvitation & Readonly<{ email: string; hasPassword: boolean }>;

type Services = {
  db: Db;
  clock: Clock;
  teams: Pick<Teams, 'setRole'>;
  sessionIssuer: SessionIssuer;
  links: Pick<OneTimeLinks, 'find'>;
};

export type InvitationAnswers = ReturnType<typeof createInvitationAnswers>;

const WITH_NAMES = { team: { select: { name: true } }, invitedBy: { select: { name: true } } } as const;

/** Maps a row to an invitation, for which the columns that only invitations have are never null. */
const receivedOf = (
  row: Prisma.OneTimeLinkGetPayload<{ include: typeof WITH_NAMES }>,
): ReceivedInvitation => ({
  id: row.id,
  team: row.team!,
  role: row.role!,
  expiresAt: row.expiresAt,
  invitedBy: row.invitedBy?.name || null,
});

/** Accepts and declines invitations for their recipients. */
export function createInvitationAnswers({ db, clock, teams, sessionIssuer, links }: Services) {
  /** Locks the account of an address before its one-time links, in the order of every password change. */
  async function lockAccount(tx: Transaction, email: string): Promise<User | null> {
    await lockAccountOf(tx, email);
    return tx.user.findUnique({ where: { email } });
  }

  const take = (tx: Transaction, id: string, email: string): Promise<TakenInvitation | null> =>
    takeInvitation(tx, { id, email, now: clock() });

  /** Makes an account a member; an account that is already a member keeps its role. */
  async function join(
    tx: Transaction,
    { teamId, role }: TakenInvitation,
    userId: number,
    actor: Actor,
  ): Promise<void> {
    const isMember = await tx.membership.count({ where: { teamId, userId } });
    if (!isMember) await teams.setRole(tx, { teamId, userId }, role, actor);
    await recordAudit(tx, actor, {
      teamId,
      action: 'user.invitation_accepted',
      subject: ['user', userId],
    });
  }

  return {
    /** Lists the pending invitations of an address, the latest first. */
    async received(email: string): Promise<ReceivedInvitation[]> {
      const rows = await db.orm.oneTimeLink.findMany({
        where: { purpose: 'invitation', email, expiresAt: { gt: clock() } },
        include: WITH_NAMES,
        orderBy: { createdAt: 'desc' },
      });
      return rows.map(receivedOf);
    },

    /** Finds the pending invitation of a token; null when the token is invalid, used or expired. */
    async follow(token: string): Promise<FollowedInvitation | null> {
      const link = await links.find(token, 'invitation');
      const row =
        link && (await db.orm.oneTimeLink.findUnique({ where: { id: link.id }, include: WITH_NAMES }));
      if (!row?.email) return null;
      const { email } = row;
      const user = await db.orm.user.findUnique({ where: { email }, select: { passwordHash: true } });
      return { ...receivedOf(row), email, hasPassword: Boolean(user?.passwordHash) };
    },

    /**
     * Accepts an invitation for the account of its address.
     *
     * @throws 404 when the address has no pending invitation with this id.
     */
    accept: (id: string, email: string, { ip }: Client): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        const user = await lockAccount(tx, email);
        const taken = await take(tx, id, email);
        if (!user || !taken) throw invitationNotFound();
        await join(tx, taken, user.id, { userId: user.id, channel: 'panel', ip });
      }),

    /**
     * Accepts an invitation for an address without an account, or with an account without a password, and opens a
     * session. It creates the account or sets its first password; an existing password never changes.
     *
     * @returns null when another request was faster, or the account is disabled.
     */
    async acceptAsNew(
      { id, email }: Pick<FollowedInvitation, 'id' | 'email'>,
      password: string,
      client: Client,
    ): Promise<IssuedLogin | null> {
      const passwordHash = await hashPassword(password);
      const { ip } = client;
      const work = db.orm.$transaction(async (tx) => {
        const known = await lockAccount(tx, email);
        if (known?.passwordHash || known?.disabledAt) return null;
        const taken = await take(tx, id, email);
        if (!taken) return null;
        const { id: userId } = known
          ? await tx.user.update({ where: { id: known.id }, data: { passwordHash } })
          : await createUser(
              tx,
              { email, name: taken.name, passwordHash, staff: false },
              { userId: null, channel: 'panel', ip },
            );
        await join(tx, taken, userId, { userId, channel: 'panel', ip });
        return sessionIssuer.issueWithin(tx, userId, client);
      });
      // Another invitation of the same address has created the account meanwhile.
      return work.catch((error) => {
        if (isUniqueViolation(error)) return null;
        throw error;
      });
    },

    /**
     * Declines an invitation.
     *
     * @throws 404 when the address has no pending invitation with this id.
     */
    decline: (id: string, email: string, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        const taken = await take(tx, id, email);
        if (!taken) throw invitationNotFound();
        await recordAudit(tx, actor, {
          teamId: taken.teamId,
          action: 'user.invitation_declined',
          subject: ['invitation', id],
          detail: { email, role: taken.role },
        });
      }),
  };
}
