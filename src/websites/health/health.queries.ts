import type { Db } from '../../db/client.js';
import { isLead } from '../../db/test-leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';

const { sql } = Prisma;

const DAY_MS = 86_400_000;

/** The sample that a website's usual pause is computed from: its newest submissions of the last `days`. */
const HABIT = { days: 60, newest: 100, atLeast: 5 };

/** A website is silent when it has had no submission for this many usual pauses and for this many days. */
const SILENT = { pauses: 5, days: 3 };

/** Days whose incidents and failed e-mails count. */
const RECENT_DAYS = 7;

/** What is wrong with a website, as far as the gateway sees it. */
export type Health = Readonly<{
  /** When the last submission came, of a website from which nothing comes any more; null for any other. */
  silentSince: Date | null;
  incidents: number;
  failedEmails: number;
}>;

/** Returns the rows `habit` of a website `w`: the last submission, and the usual pause between two. */
export const habitAt = (now: Date): Prisma.Sql => sql`LATERAL (
  SELECT max(created_at) AS last, count(*) AS count,
         extract(epoch FROM max(created_at) - min(created_at)) / nullif(count(*) - 1, 0) AS pause_s
    FROM (SELECT s.created_at FROM submissions s
           WHERE s.website_id = w.id AND s.created_at <= ${now} AND ${isLead('s')}
             AND s.created_at >= ${new Date(now.getTime() - HABIT.days * DAY_MS)}
           ORDER BY s.created_at DESC LIMIT ${HABIT.newest}) newest) habit`;

/** Returns the condition that a website `w` of an active team is silent, by its `habit`. */
export const isSilentAt = (now: Date): Prisma.Sql => sql`(
  NOT w.disabled AND habit.count >= ${HABIT.atLeast}
  AND extract(epoch FROM ${now}::timestamptz - habit.last)
      > greatest(${SILENT.pauses}::int * habit.pause_s, ${SILENT.days * 86_400}::int))`;

/** Returns the websites `w` with all that their health is told from. */
function examinedAt(now: Date): Prisma.Sql {
  const since = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  return sql`
    websites w JOIN teams ON teams.id = w.team_id
    CROSS JOIN ${habitAt(now)}
    CROSS JOIN LATERAL (
      SELECT teams.active AND ${isSilentAt(now)} AS is_silent,
             (SELECT coalesce(sum(i.count), 0)::int FROM incidents i
               WHERE i.website_id = w.id AND i.minute >= ${since}) AS incidents,
             (SELECT count(*)::int FROM submissions s JOIN notifications n ON n.submission_id = s.id
               WHERE s.website_id = w.id AND s.created_at >= ${since} AND ${isLead('s')}
                 AND s.state IN ('new', 'in_progress', 'done')
                 AND n.state IN ('failed', 'no_recipient')) AS failed_emails) health`;
}

/** Reads the health of websites. */
export const readHealth = (db: Db, ids: readonly string[], now: Date): Promise<(Health & { id: string })[]> =>
  db.orm.$queryRaw`
    SELECT w.id::text AS id, CASE WHEN is_silent THEN habit.last END AS "silentSince", incidents,
           failed_emails AS "failedEmails"
      FROM ${examinedAt(now)} WHERE w.id = ANY (${[...ids]}::uuid[])`;

/** Returns the condition that something is wrong with a row of `websites`. */
export const needsAttentionAt = (now: Date): Prisma.Sql => sql`EXISTS (
  SELECT 1 FROM ${examinedAt(now)}
   WHERE w.id = websites.id AND (is_silent OR incidents > 0 OR failed_emails > 0))`;
