import { type Actor, recordAudit } from '../audit/audit.js';
import type { OneTimeLinks } from '../auth/one-time-links.js';
import type { Db, Transaction } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { retryTransaction } from '../db/transaction-retry.js';
import { conflict, invitationNotFound } from '../errors.js';
import type { OneTimeLink, Prisma, Role } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { lockInvitation } from './invitations.queries.js';

/** A pending invitation as the team's managers see it; it does not reveal whether the address has an account. */
export type Invitation = Readonly<{
  id: string;
  teamId: number;
  email: string;
  name: string;
  role: Role;
  /** Name of the inviter; null when the account no longer exists. */
  invitedBy: string | null;
  createdAt: Date;
  expiresAt: Date;
}>;

/** The recipient and role of an invitation. The name is for a new account. */
export type Invited = Pick<Invitation, 'teamId' | 'email' | 'name' | 'role'>;

type Services = { db: Db; clock: Clock; links: Pick<OneTimeLinks, 'lifetimeOf'> };

export type Invitations = ReturnType<typeof createInvitations>;

const WITH_INVITER = { invitedBy: { select: { name: true } } } as const;

/** Maps a row to an invitation, for which the columns that only invitations have are never null. */
const invitationOf = (row: OneTimeLink & { invitedBy: { name: string } | null }): Invitation => ({
  id: row.id,
  teamId: row.teamId!,
  email: row.email!,
  name: row.name!,
  role: row.role!,
  invitedBy: row.invitedBy?.name || null,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
});

/**
 * Refuses an invitation in place of the pending one of the address, which is locked, so that no other change comes in
 * between. Null: the address has none.
 */
type Authorize = (before: Role | null) => void;

/** Manages the pending invitations of teams for owners, admins and staff. */
export function createInvitations({ db, clock, links }: Services) {
  const pending = (): Prisma.OneTimeLinkWhereInput => ({
    purpose: 'invitation',
    email: { not: null },
    expiresAt: { gt: clock() },
  });

  /** Reads the pending invitation of an address, and locks it until the transaction ends. */
  async function lockPending(tx: Transaction, { teamId, email }: Invited) {
    const key = { purpose: 'invitation', teamId, email } as const;
    // Delete an expired invitation, because its one-time link must not become valid again.
    await tx.oneTimeLink.deleteMany({ where: { ...key, expiresAt: { lte: clock() } } });
    return lockInvitation(tx, key);
  }

  async function invite(
    tx: Transaction,
    invited: Invited,
    actor: Actor,
    authorize: Authorize,
  ): Promise<Invitation> {
    const { teamId, email, name, role } = invited;
    const before = await lockPending(tx, invited);
    authorize(before?.role ?? null);
    const member = await tx.membership.findFirst({
      where: { teamId, user: { email } },
      include: { user: { select: { passwordHash: true } } },
    });
    if (member && (member.role !== role || member.user.passwordHash)) {
      throw conflict(`This account already is ${member.role} of the team.`);
    }
    const { createdAt, expiresAt } = links.lifetimeOf('invitation');
    const said = { name, role, invitedById: actor.userId, expiresAt };
    const untried = { attempts: 0, unconfirmed: 0, nextAttemptAt: new Date() };
    const unsent = { state: 'pending', ...untried, createdAt } as const;
    const row = before
      ? await tx.oneTimeLink.update({
          where: { id: before.id },
          // An e-mail that is still pending will carry the new values, so no second one is sent.
          data: { ...said, ...(before.state !== 'pending' && unsent) },
          include: WITH_INVITER,
        })
      : await tx.oneTimeLink.create({
          data: { purpose: 'invitation', teamId, email, ...said, createdAt },
          include: WITH_INVITER,
        });
    await recordAudit(tx, actor, {
      teamId,
      action: 'member.invited',
      subject: ['invitation', row.id],
      detail: { email, role },
    });
    return invitationOf(row);
  }

  return {
    /** Lists the pending invitations of a team, sorted by address. */
    async ofTeam(teamId: number): Promise<Invitation[]> {
      const rows = await db.orm.oneTimeLink.findMany({
        where: { ...pending(), teamId },
        include: WITH_INVITER,
        orderBy: { email: 'asc' },
      });
      return rows.map(invitationOf);
    },

    /** Finds a pending invitation; null when there is none with this id. */
    async find(id: string): Promise<Invitation | null> {
      const row = await db.orm.oneTimeLink.findFirst({ where: { ...pending(), id }, include: WITH_INVITER });
      return row && invitationOf(row);
    },

    /**
     * Invites an address, with or without an account, which becomes a member only by accepting. An already pending
     * invitation is updated and sent again.
     *
     * @throws what `authorize` throws; 409 when the address is that of a member who can log in or has another role.
     */
    async invite(invited: Invited, actor: Actor, authorize: Authorize): Promise<Invitation> {
      const record = () => db.orm.$transaction((tx) => invite(tx, invited, actor, authorize));
      // One of several concurrent first invitations of an address is recorded; a retry of the others finds it.
      return retryTransaction(record, isUniqueViolation);
    },

    /** Revokes a pending invitation. @throws 404 when it has been answered meanwhile. */
    revoke: ({ id, teamId, email, role }: Invitation, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        const { count } = await tx.oneTimeLink.deleteMany({ where: { ...pending(), id } });
        if (count === 0) throw invitationNotFound();
        await recordAudit(tx, actor, {
          teamId,
          action: 'member.invitation_revoked',
          subject: ['invitation', id],
          detail: { email, role },
        });
      }),
  };
}
