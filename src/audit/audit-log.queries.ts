import type { Db } from '../db/client.js';
import { type Page, pageSql } from '../db/paging.js';
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

/** Selects events. A null filter matches every event. */
export type AuditFilter = Readonly<{
  teamId: number | null;
  actorId: number | null;
  /** A whole action, or a prefix that ends with a dot, as in `token.`. */
  action: string | null;
  from: Date | null;
  until: Date | null;
}>;

export type AuditLog = ReturnType<typeof createAuditLog>;

/** Events of a team, the latest, in which actors are looked for. */
const MAX_EVENTS = 50_000;

/** Reads the audit trail. */
export function createAuditLog({ db }: { db: Db }) {
  return {
    /** Finds the accounts that have acted in the latest 50,000 events of a team, members or not. @returns their ids. */
    async actorsOf(teamId: number): Promise<number[]> {
      const rows = await db.orm.$queryRaw<{ id: number }[]>`
        SELECT DISTINCT actor_id AS id
          FROM (SELECT actor_id FROM audit_events WHERE team_id = ${teamId}
                 ORDER BY created_at DESC, id DESC LIMIT ${MAX_EVENTS}) AS latest
         WHERE actor_id IS NOT NULL ORDER BY 1`;
      return rows.map(({ id }) => id);
    },

    /** Lists a page of the events that match a filter, the latest first. */
    list({ teamId, actorId, action, from, until }: AuditFilter, page: Page): Promise<AuditEntry[]> {
      const { sql } = Prisma;
      const keys = [
        { sql: 'created_at', type: 'timestamptz' },
        { sql: 'id', type: 'uuid' },
      ] as const;
      const { beyond, order, limit } = pageSql(page, keys, 'descending');
      const conditions = [beyond];
      if (teamId !== null) conditions.push(sql`team_id = ${teamId}`);
      if (actorId !== null) conditions.push(sql`actor_id = ${actorId}`);
      if (action?.endsWith('.')) conditions.push(sql`starts_with(action, ${action})`);
      else if (action !== null) conditions.push(sql`action = ${action}`);
      if (from) conditions.push(sql`created_at >= ${from}`);
      if (until) conditions.push(sql`created_at < ${until}`);
      return db.orm.$queryRaw`
        SELECT id, created_at AS "createdAt",
               to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at,
               team_id AS "teamId", actor_id AS "actorId", channel::text AS channel, action,
               subject_type AS "subjectType", subject_id AS "subjectId", ip, detail
          FROM audit_events
         WHERE ${Prisma.join(conditions, ' AND ')}
         ORDER BY ${order} LIMIT ${limit}`;
    },
  };
}
