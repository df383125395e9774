import { StartError } from '../errors.js';
import { type Database, isUniqueViolation } from '../lib/prisma.js';
import { type Actor, recordAudit } from './audit.js';
import { hashPassword } from './passwords.js';

type NewUser = Readonly<{ email: string; name: string; password: string; staff: boolean }>;

/** The form in which an e-mail address names an account. */
export const normalizeEmail = (email: string): string => email.trim().toLowerCase();

/**
 * Creates an account.
 *
 * @throws StartError when the address already has one.
 */
export async function createUser(db: Database, user: NewUser, actor: Actor): Promise<number> {
  const { email, name, staff } = user;
  const passwordHash = await hashPassword(user.password);
  try {
    return await db.$transaction(async (tx) => {
      const row = await tx.user.create({ data: { email: normalizeEmail(email), name, staff, passwordHash } });
      await recordAudit(tx, actor, {
        teamId: null,
        action: 'user.created',
        subject: ['user', row.id],
        detail: { staff },
      });
      return row.id;
    });
  } catch (error) {
    if (isUniqueViolation(error))
      throw new StartError(`An account with the address ${email} already exists.`);
    throw error;
  }
}
