import type { Transaction } from '../db/client.js';
import type { OneTimeLink, Role } from '../generated/prisma/client.js';

/** A consumed invitation. */
export type TakenInvitation = Readonly<{ teamId: number; name: string; role: Role }>;

/** Reads the invitation of an address to a team, and locks it until the transaction ends; null when there is none. */
export async function lockInvitation(
  tx: Transaction,
  { teamId, email }: Readonly<{ teamId: number; email: string }>,
): Promise<Pick<OneTimeLink, 'id' | 'role' | 'state'> | null> {
  const [row] = await tx.$queryRaw<Pick<OneTimeLink, 'id' | 'role' | 'state'>[]>`
    SELECT id, role::text AS role, state::text AS state FROM account_links
     WHERE purpose = 'invitation' AND team_id = ${teamId} AND email = ${email}
       FOR UPDATE`;
  return row ?? null;
}

/** Consumes a pending invitation of an address; null when there is none with this id. */
export async function takeInvitation(
  tx: Transaction,
  { id, email, now }: Readonly<{ id: string; email: string; now: Date }>,
): Promise<TakenInvitation | null> {
  const [taken] = await tx.$queryRaw<TakenInvitation[]>`
    DELETE FROM account_links
     WHERE id = ${id}::uuid AND purpose = 'invitation' AND email = ${email} AND expires_at > ${now}
    RETURNING team_id AS "teamId", name, role::text AS role`;
  return taken ?? null;
}
