import type { Database, Transaction } from '../db/client.js';
import type { AuditChannel, Prisma } from '../generated/prisma/client.js';

/** Who acts, by what door and from where. */
export type Actor = Readonly<{ userId: number | null; channel: AuditChannel; ip?: string | null }>;

type Event = Readonly<{
  teamId: number | null;
  /** As in `token.created`. */
  action: string;
  subject: readonly [type: string, id: string | number];
  detail?: Prisma.InputJsonObject;
}>;

/** Records who did what. Part of the transaction that does it, so that neither exists without the other. */
export const recordAudit = (db: Database | Transaction, actor: Actor, event: Event): Promise<void> =>
  recordAudits(db, actor, [event]);

/** Records several things that somebody did at once. */
export async function recordAudits(
  db: Database | Transaction,
  actor: Actor,
  events: readonly Event[],
): Promise<void> {
  await db.auditEvent.createMany({
    data: events.map(({ teamId, action, subject, detail = {} }) => ({
      ...{ teamId, actorId: actor.userId, channel: actor.channel, ip: actor.ip ?? null },
      ...{ action, subjectType: subject[0], subjectId: String(subject[1]), detail },
    })),
  });
}
