import { type Actor, recordAudit } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import { lockRow } from '../db/row-lock.js';
import { staffOnly } from '../errors.js';
import type { User } from '../generated/prisma/client.js';
import { changes, type Outcome } from '../lib/changes.js';

export type NewUser = Readonly<{
  /** The e-mail address in lower case. */
  email: string;
  name: string;
  /** Result of `hashPassword`; null when the account cannot log in. */
  passwordHash: string | null;
  staff: boolean;
}>;

/** What may change of an account; what is left out stays. */
export type UserSettings = Partial<Pick<User, 'name' | 'staff' | 'language' | 'theme'>>;

/** Creates an account. */
export async function createUser(tx: Transaction, user: NewUser, actor: Actor): Promise<User> {
  const row = await tx.user.create({ data: user });
  await recordAudit(tx, actor, {
    teamId: null,
    action: 'user.created',
    subject: ['user', row.id],
    detail: { staff: row.staff },
  });
  return row;
}

/** Updates the given properties of an account that differ. */
export async function updateUser(
  tx: Transaction,
  stored: User,
  settings: UserSettings,
  actor: Actor,
): Promise<Outcome> {
  const changed = changes(stored, settings);
  if (!changed) return 'unchanged';
  await tx.user.update({ where: { id: stored.id }, data: changed });
  await recordAudit(tx, actor, {
    teamId: null,
    action: 'user.updated',
    subject: ['user', stored.id],
    // Without the name, which is to go with the account.
    detail: { changed: Object.keys(changed), ...('staff' in changed && { staff: changed.staff }) },
  });
  return 'updated';
}

/**
 * Locks an account together with that of the staff who change it, which the audit trail refers to, in the order of
 * their ids: two who change each other at once would deadlock otherwise. Of two who shut each other out, one remains.
 *
 * @param id null: the account is about to be created.
 * @throws 403 when the actor no longer is one of the staff, or is disabled.
 */
export async function lockWithActor(tx: Transaction, id: number | null, { userId }: Actor): Promise<void> {
  const ids = [...new Set([id, userId])].filter((each) => each !== null);
  for (const each of ids.sort((one, other) => one - other)) await lockRow(tx, 'users', each);
  if (userId === null || userId === id) return;
  const { staff, disabledAt } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
  if (!staff || disabledAt) throw staffOnly();
}
