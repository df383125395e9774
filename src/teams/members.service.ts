import { type Account, keepAccounts } from '../accounts/accounts.queries.js';
import { accountOf } from '../accounts/accounts.service.js';
import type { Actor } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { MAX_LOADED } from '../db/paging.js';
import { LOCK_TIMEOUTS } from '../db/row-lock.js';
import { conflict, memberNotFound } from '../errors.js';
import type { Membership, Role, User } from '../generated/prisma/client.js';
import { groupsOf } from '../lib/group-by.js';
import { lockOwners, lockRole, type MembershipKey } from './teams.queries.js';
import type { Teams } from './teams.service.js';

/** A member of a team. */
export type Member = Readonly<{ teamId: number; account: Account; role: Role; createdAt: Date }>;

type Services = { db: Db; teams: Pick<Teams, 'setRole'> };

export type Members = ReturnType<typeof createMembers>;

const memberOf = ({ teamId, role, createdAt, user }: Membership & { user: User }): Member => ({
  teamId,
  role,
  createdAt,
  account: accountOf(user),
});

/** Refuses a change of the member's role as it is once it is locked, so that no other change comes in between. */
type Authorize = (before: Role) => void;

/** Manages the members of a team. */
export function createMembers({ db, teams }: Services) {
  async function read(key: MembershipKey, tx: Transaction): Promise<Member> {
    const row = await tx.membership.findUniqueOrThrow({
      where: { teamId_userId: key },
      include: { user: true },
    });
    return memberOf(row);
  }

  /** Changes or removes a role. @throws 404 for no member; what `authorize` throws; 409 for the last owner. */
  async function change(
    tx: Transaction,
    key: MembershipKey,
    role: Role | null,
    actor: Actor,
    authorize: Authorize,
  ) {
    await keepAccounts(tx, [key.userId, actor.userId]);
    const before = await lockRole(tx, key);
    if (before.role === null) throw memberNotFound();
    authorize(before.role);
    if (before.role === 'owner' && role !== 'owner' && before.isLastOwner) {
      throw conflict('This is the last owner of the team. Appoint another first.');
    }
    await teams.setRole(tx, key, role, actor);
  }

  return {
    /** Lists the members of each team, sorted by address. */
    async ofTeams(teamIds: readonly number[]): Promise<Member[][]> {
      const rows = await db.orm.membership.findMany({
        where: { teamId: { in: [...teamIds] } },
        include: { user: true },
        orderBy: { user: { email: 'asc' } },
        take: MAX_LOADED,
      });
      return groupsOf(teamIds, rows.map(memberOf), ({ teamId }) => teamId);
    },

    /**
     * Changes the role of a member. A demoted member's tokens are revoked in the same transaction, which waits for
     * concurrent creations of tokens.
     *
     * @throws 404 for no member; what `authorize` throws; 409 for the last owner.
     */
    changeRole: (key: MembershipKey, role: Role, actor: Actor, authorize: Authorize): Promise<Member> =>
      db.orm.$transaction(async (tx) => {
        await change(tx, key, role, actor, authorize);
        return read(key, tx);
      }, LOCK_TIMEOUTS),

    /**
     * Transfers the ownership of one owner to another member, in one transaction: the owner becomes an admin.
     *
     * @throws 404 when the heir is no member; 409 when the other is no owner.
     */
    transferOwnership: (
      { teamId, from, to }: Readonly<{ teamId: number; from: number; to: number }>,
      actor: Actor,
    ): Promise<Member> =>
      db.orm.$transaction(async (tx) => {
        await keepAccounts(tx, [from, to, actor.userId]);
        const heir = { teamId, userId: to };
        const roles = await lockOwners(tx, heir);
        if (!roles.has(to)) throw memberNotFound();
        if (roles.get(from) !== 'owner' || from === to) {
          throw conflict('Only an owner can hand the team over, and only to another member.');
        }
        await teams.setRole(tx, heir, 'owner', actor);
        await teams.setRole(tx, { teamId, userId: from }, 'admin', actor);
        return read(heir, tx);
      }, LOCK_TIMEOUTS),

    /**
     * Removes a member from a team. The tokens are revoked in the same transaction.
     *
     * @throws the errors of `changeRole`.
     */
    remove: (key: MembershipKey, actor: Actor, authorize: Authorize): Promise<void> =>
      db.orm.$transaction((tx) => change(tx, key, null, actor, authorize), LOCK_TIMEOUTS),
  };
}
