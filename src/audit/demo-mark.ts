import type { Db, Transaction } from '../db/client.js';
import { type Actor, recordAudit } from './audit.js';

/** The audit trail's action by which an installation with the data of the demo is known. */
export const DEMO_ACTION = 'demo.loaded';

const MARK = { action: DEMO_ACTION, subjectType: 'installation', subjectId: 'demo' } as const;

/** Tells whether this installation was filled with the data of the demo. */
export const isDemo = async ({ orm }: Pick<Db, 'orm'>): Promise<boolean> =>
  (await orm.auditEvent.count({ where: MARK })) > 0;

/** Records, in the transaction that fills the installation, that its data is the demo's. */
export const recordDemo = (tx: Transaction, actor: Actor): Promise<void> =>
  recordAudit(tx, actor, {
    teamId: null,
    action: MARK.action,
    subject: [MARK.subjectType, MARK.subjectId],
  });
