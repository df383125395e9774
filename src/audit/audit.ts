import type { Transaction } from '../db/client.js';
import type { AuditChannel, Prisma } from '../generated/prisma/client.js';

/** The user who acts, the channel and the IP address. */
export type Actor = Readonly<{ userId: number | null; channel: AuditChannel; ip?: string | null }>;

/** The actor of what Formgate does by itself. */
export const SYSTEM_ACTOR: Actor = { userId: null, channel: 'system' };

/** An event as it is recorded. */
export type AuditEvent = Readonly<{
  teamId: number | null;
  /** The action's name, as in `token.created`. */
  action: string;
  subject: readonly [type: string, id: string | number];
  detail?: Prisma.InputJsonObject;
}>;

/** The action of a change of a submission's state; the submission's history is read from these events. */
export const STATE_CHANGED = 'submission.state_changed';

/** The actions of a submission's legal hold, which its history is read from too. */
export const LEGAL_HOLD_SET = 'legal_hold.set';
export const LEGAL_HOLD_RELEASED = 'legal_hold.released';

/** Records an event in the transaction of the change itself, so that neither exists without the other. */
export const recordAudit = (tx: Transaction, actor: Actor, event: AuditEvent): Promise<void> =>
  recordAudits(tx, actor, [event]);

/** Records several events of one actor in one statement. */
export async function recordAudits(
  tx: Transaction,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  await tx.auditEvent.createMany({
    data: events.map(({ teamId, action, subject, detail = {} }) => ({
      teamId,
      actorId: actor.userId,
      channel: actor.channel,
      ip: actor.ip ?? null,
      action,
      subjectType: subject[0],
      subjectId: String(subject[1]),
      detail,
    })),
  });
}
