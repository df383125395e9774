import type { Db } from '../db/client.js';
import { type AuditChannel, Prisma } from '../generated/prisma/client.js';

/** An entry of the audit trail. `at` is its instant to the microsecond, ISO 8601 in UTC, to sort by. */
export type AuditEntry = Readonly<{
  id: string;
  at: string;
  createdAt: Date;
  teamId: number | null;
  actorId: number | null;
  channel: AuditChannel;
  action: string;
  subjectType: string;
  subjectId: string;
  ip: string | null;
  detail: Record<string, unknown>;
}>;

/** Selects events, the latest first. A null filter matches every event. */
export type AuditQuery = Readonly<{
  teamId: number | null;
  actorId: number | null;
  /** A whole action, or a prefix that ends with a dot, as in `token.`. */
  action: string | null;
  from: Date | null;
  until: Date | null;
  limit: number;
  direction: 'forward' | 'backward';
  /** `at` and `id` of the entry after which the page begins; null means an end of the list. */
  cursor: readonly [at: string, id: string] | null;
}>;

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Reads the audit trail. */
export function createAuditLog({ db }: { db: Db }) {
  return {
    /** Reads a page of events and one more, from the cursor on in its direction. */
    page(query: AuditQuery): Promise<AuditEntry[]> {
      const { teamId, actorId, action, from, until, limit, direction, cursor } = query;
      const { sql } = Prisma;
      const isForward = direction === 'forward';
      const conditions = [sql`true`];
      if (teamId !== null) conditions.push(sql`team_id = ${teamId}`);
      if (actorId !== null) conditions.push(sql`actor_id = ${actorId}`);
      if (action?.endsWith('.')) conditions.push(sql`starts_with(action, ${action})`);
      else if (action !== null) conditions.push(sql`action = ${action}`);
      if (from) conditions.push(sql`created_at >= ${from}`);
      if (until) conditions.push(sql`created_at < ${until}`);
      if (cursor) {
        const key = sql`(${cursor[0]}::timestamptz, ${cursor[1]}::uuid)`;
        conditions.push(isForward ? sql`(created_at, id) < ${key}` : sql`(created_at, id) > ${key}`);
      }
      const order = isForward ? sql`created_at DESC, id DESC` : sql`created_at ASC, id ASC`;
      return db.orm.$queryRaw<AuditEntry[]>`
        SELECT id, created_at AS "createdAt",
               to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
               team_id AS "teamId", actor_id AS "actorId", channel::text AS channel, action,
               subject_type AS "subjectType", subject_id AS "subjectId", ip, detail
          FROM audit_events
         WHERE ${Prisma.join(conditions, ' AND ')}
         ORDER BY ${order}
         LIMIT ${limit + 1}`;
    },
  };
}
