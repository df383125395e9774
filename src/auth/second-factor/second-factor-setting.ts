import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';

/** Whether staff need a second factor to log in. */
export async function isSecondFactorRequired(
  db: Pick<Transaction, 'installationSettings'>,
): Promise<boolean> {
  return (await db.installationSettings.findFirst())?.staffSecondFactor ?? false;
}

/** Sets whether staff need a second factor to log in; those without one set it up with their next login. */
export const setSecondFactorRequired = (
  { orm }: Pick<Db, 'orm'>,
  staffSecondFactor: boolean,
  actor: Actor,
): Promise<void> =>
  orm.$transaction(async (tx) => {
    await tx.installationSettings.upsert({
      where: { id: true },
      create: { staffSecondFactor },
      update: { staffSecondFactor },
    });
    await recordAudit(tx, actor, {
      teamId: null,
      action: 'installation.second_factor_set',
      subject: ['installation', 'settings'],
      detail: { required: staffSecondFactor },
    });
  });
