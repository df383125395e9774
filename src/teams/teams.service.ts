import { type Actor, recordAudit } from '../accounts/audit.js';
import type { Role } from '../generated/prisma/client.js';
import type { Transaction } from '../lib/prisma.js';

/** Revokes every token of a bearer for a team, inside the given transaction. */
export type RevokeTokens = (
  tx: Transaction,
  bearer: { teamId: number; userId: number },
  actor: Actor,
) => Promise<unknown>;

export type Teams = ReturnType<typeof createTeams>;

/** `revokeTokens` comes from the tokens, which stand above the teams. */
export function createTeams({ revokeTokens }: { revokeTokens: RevokeTokens }) {
  return {
    /**
     * Gives a user a role in a team, or takes it away with null. Whoever ends up without the right to
     * hold tokens loses them in the same transaction (interface 3.1).
     */
    async setRole(
      tx: Transaction,
      member: { teamId: number; userId: number },
      role: Role | null,
      actor: Actor,
    ): Promise<void> {
      const key = { teamId_userId: member };
      const before = await tx.membership.findUnique({ where: key });
      if ((before?.role ?? null) === role) return;
      if (role === null) await tx.membership.delete({ where: key });
      else await tx.membership.upsert({ where: key, create: { ...member, role }, update: { role } });
      await recordAudit(tx, actor, {
        teamId: member.teamId,
        action: role === null ? 'member.removed' : before ? 'member.role_changed' : 'member.added',
        subject: ['user', member.userId],
        detail: { from: before?.role ?? null, to: role },
      });
      if (role === null || role === 'member') await revokeTokens(tx, member, actor);
    },
  };
}
