import type { Db } from '../db/client.js';
import { isLead, isNeitherSpamNorArchived } from '../db/leads.queries.js';
import { type AttemptOutcome, type NotificationState, Prisma } from '../generated/prisma/client.js';

/** Selects notifications; null does not narrow. */
export type NotificationFilter = Readonly<{
  states: readonly NotificationState[];
  teamId: number | null;
  websiteIds: readonly string[] | null;
  /** When the submission was recorded, at the earliest. */
  since: Date | null;
}>;

/** A notification with what an operator needs to judge it. */
export type NotificationEntry = Readonly<{
  leadId: string;
  state: NotificationState;
  team: string;
  websiteId: string;
  host: string;
  createdAt: Date;
  /** When a pending notification is due; null for another. */
  nextAttemptAt: Date | null;
  /** How the last attempt ended; null before the first. */
  lastAttempt: Readonly<{
    outcome: AttemptOutcome;
    smtpCode: number | null;
    detail: string | null;
    finishedAt: string;
  }> | null;
}>;

const { sql, join } = Prisma;

/** Selects the ids, newest first; each state has an index of its own, except for what was sent. */
function matching({ states, teamId, websiteIds, since }: NotificationFilter): Prisma.Sql {
  const ofStates = states.map(
    (state) => sql`SELECT submission_id FROM notifications WHERE state = ${state}::notification_state`,
  );
  const conditions = [
    ...(teamId === null ? [] : [sql`s.team_id = ${teamId}`]),
    ...(websiteIds === null ? [] : [sql`s.website_id = ANY (${[...websiteIds]}::uuid[])`]),
    ...(since === null ? [] : [sql`s.created_at >= ${since}`]),
  ];
  return sql`
    SELECT s.id FROM (${join(ofStates, ' UNION ALL ')}) n JOIN submissions s ON s.id = n.submission_id
     WHERE ${join([isLead('s'), ...conditions], ' AND ')} ORDER BY s.id DESC`;
}

/** Reads the newest notifications that match a filter. */
export const listNotifications = (
  db: Db,
  filter: NotificationFilter,
  limit: number,
): Promise<NotificationEntry[]> =>
  db.sql(sql`
    SELECT s.id::text AS "leadId", n.state::text AS state, t.slug AS team, w.id::text AS "websiteId", w.host,
           s.created_at AS "createdAt",
           CASE WHEN n.state = 'pending' THEN n.next_attempt_at END AS "nextAttemptAt",
           (SELECT json_build_object('outcome', outcome, 'smtpCode', smtp_code, 'detail', detail,
                                     'finishedAt', finished_at)
              FROM notification_attempts WHERE submission_id = s.id ORDER BY number DESC LIMIT 1) AS "lastAttempt"
      FROM (${matching(filter)} LIMIT ${limit}) found
      JOIN submissions s USING (id) JOIN notifications n ON n.submission_id = s.id
      JOIN websites w ON w.id = s.website_id JOIN teams t ON t.id = s.team_id
     ORDER BY s.id DESC`);

/**
 * Reads the leads of all notifications that match a filter, the oldest first, which have waited longest for the quota.
 * Those that are spam or archived are left out, as in the panel.
 */
export async function leadsOf(db: Db, filter: NotificationFilter): Promise<string[]> {
  const rows = await db.sql<{ id: string }>(sql`
    SELECT id::text AS id FROM (${matching(filter)}) found JOIN submissions s USING (id)
     WHERE ${isNeitherSpamNorArchived('s')} ORDER BY id`);
  return rows.map(({ id }) => id);
}
