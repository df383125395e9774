import type { Db } from '../../db/client.js';
import { isLead } from '../../db/test-leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';

const { sql } = Prisma;

const DAY_MS = 86_400_000;

/** Days whose incidents and failed e-mails count. */
const RECENT_DAYS = 7;

/** What is wrong with a website, as far as the gateway sees it. */
export type Health = Readonly<{
  /** When the last submission came, of a website from which nothing comes any more; null for any other. */
  silentSince: Date | null;
  incidents: number;
  failedEmails: number;
}>;

/** Returns the websites `w` with all that their health is told from. */
function examinedAt(now: Date): Prisma.Sql {
  const since = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  return sql`
    websites w JOIN teams ON teams.id = w.team_id
    LEFT JOIN lead_habits habit ON habit.website_id = w.id
    CROSS JOIN LATERAL (
      SELECT teams.active AND NOT w.disabled AND habit.silent_at IS NOT NULL AS is_silent,
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
    SELECT w.id::text AS id, CASE WHEN is_silent THEN habit.last_at END AS "silentSince", incidents,
           failed_emails AS "failedEmails"
      FROM ${examinedAt(now)} WHERE w.id = ANY (${[...ids]}::uuid[])`;

/** Returns the condition that something is wrong with a row of `websites`. */
export const needsAttentionAt = (now: Date): Prisma.Sql => sql`EXISTS (
  SELECT 1 FROM ${examinedAt(now)}
   WHERE w.id = websites.id AND (is_silent OR incidents > 0 OR failed_emails > 0))`;
