import type { AuditChannel, Prisma } from '../generated/prisma/client.js';
import type { Database, Transaction } from '../lib/prisma.js';

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
export async function recordAudit(db: Database | Transaction, actor: Actor, event: Event): Promise<void> {
  await db.auditEvent.create({
    data: {
      teamId: event.teamId,
      actorId: actor.userId,
      channel: actor.channel,
      ip: actor.ip ?? null,
      action: event.action,
      subjectType: event.subject[0],
      subjectId: String(event.subject[1]),
      detail: event.detail ?? {},
    },
  });
}
