import { lockWithActor } from '../accounts/users.js';
import { type Actor, recordAudit } from '../audit/audit.js';
import { endViewsWithin, type Sessions } from '../auth/sessions.service.js';
import type { Db, Transaction } from '../db/client.js';
import { MAX_LOADED } from '../db/paging.js';
import { LOCK_TIMEOUTS } from '../db/row-lock.js';
import { accountNotFound, conflict } from '../errors.js';
import type { Clock } from '../lib/clock.js';
import { groupsOf } from '../lib/group-by.js';
import { eraseAddresses, lockRole } from './teams.queries.js';
import type { Teams } from './teams.service.js';

type Services = {
  db: Db;
  teams: Pick<Teams, 'setRole'>;
  sessions: Pick<Sessions, 'endWithin'>;
  clock: Clock;
};

export type AccountRemoval = ReturnType<typeof createAccountRemoval>;

/** Deletes accounts, and reads what they belong to. */
export function createAccountRemoval({ db, teams, sessions, clock }: Services) {
  /** Ends every membership, and with it the tokens. @throws 409 naming the teams whose only owner the account is. */
  async function leaveTeams(tx: Transaction, userId: number, actor: Actor): Promise<void> {
    const memberships = await tx.membership.findMany({
      where: { userId },
      include: { team: { select: { name: true } } },
      orderBy: { teamId: 'asc' },
    });
    const orphaned: string[] = [];
    for (const { teamId, team } of memberships) {
      const { role, isLastOwner } = await lockRole(tx, { teamId, userId });
      if (role === 'owner' && isLastOwner) orphaned.push(team.name);
    }
    if (orphaned.length > 0) {
      throw conflict(`This account is the only owner of: ${orphaned.join(', ')}. Appoint another first.`);
    }
    for (const { teamId } of memberships) await teams.setRole(tx, { teamId, userId }, null, actor);
  }

  return {
    /**
     * Deletes an account: name, address, password, second factor, sessions, views and links go, memberships end and
     * tokens are revoked. Its row stays, so that the audit trail still tells its actors apart.
     *
     * @throws 404 for no account; 409 for the actor's own, and for the only owner of a team; 403 when another of the
     * staff has just shut the actor out.
     */
    remove: (id: number, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        await lockWithActor(tx, id, actor);
        const stored = await tx.user.findUnique({ where: { id } });
        if (!stored || stored.deletedAt) throw accountNotFound();
        if (id === actor.userId) throw conflict('You cannot delete your own account.');
        await leaveTeams(tx, id, actor);
        await endViewsWithin(tx, id, actor);
        await sessions.endWithin(tx, { userId: id, reason: 'deleted' }, actor);
        await tx.session.deleteMany({ where: { userId: id } });
        await tx.oneTimeLink.deleteMany({
          where: { OR: [{ userId: id }, { purpose: 'invitation', email: stored.email }] },
        });
        await tx.savedView.deleteMany({ where: { userId: id } });
        await tx.recoveryCode.deleteMany({ where: { userId: id } });
        await tx.secondFactor.deleteMany({ where: { userId: id } });
        const now = clock();
        await tx.user.update({
          where: { id },
          data: {
            // No mailbox can have this address (RFC 2606).
            email: `deleted-${id}@account.invalid`,
            name: '',
            passwordHash: null,
            staff: false,
            language: null,
            theme: null,
            lastLoginAt: null,
            disabledAt: now,
            deletedAt: now,
          },
        });
        await eraseAddresses(tx, stored);
        await recordAudit(tx, actor, { teamId: null, action: 'user.deleted', subject: ['user', id] });
      }, LOCK_TIMEOUTS),

    /** Lists the memberships of accounts, by the names of the teams. */
    async membershipsOf(userIds: readonly number[]) {
      const rows = await db.orm.membership.findMany({
        where: { userId: { in: [...userIds] } },
        include: { team: true },
        orderBy: [{ team: { name: 'asc' } }, { teamId: 'asc' }],
        take: MAX_LOADED,
      });
      return groupsOf(userIds, rows, ({ userId }) => userId);
    },
  };
}
