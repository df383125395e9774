import type { Db } from '../../db/client.js';
import { firstIdFrom } from '../../db/first-id.js';
import { isLead, isNeitherSpamNorArchived } from '../../db/leads.queries.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import { DAY_MS } from '../../lib/durations.js';
import { isDeferred, waitingSince } from '../../notifications/backlog.queries.js';
import type { AttentionScope } from '../attention-item.js';
import { latestSubmissions } from './latest-submissions.queries.js';

const { sql } = Prisma;

/** Days whose e-mails count. */
const KNOWN_DAYS = 30;

/** Days for which a lead whose e-mail failed counts, also where later e-mails have arrived. */
const RECENT_DAYS = 7;

/** Age in minutes from which an e-mail that the workers have not tried is held. */
const HELD_MINUTES = 10;

/** Age in minutes from which an e-mail that a recipient's server puts off is worth a look. */
const DEFERRED_MINUTES = 120;

/** Leads of a website whose e-mails ended in the same way. */
export type UnsentLeads = Readonly<{
  websiteId: string;
  teamId: number;
  since: Date;
  failed: number;
  without: number;
  /** The recipients from which the e-mails of these leads came back; null when they did not. */
  cameBackFrom: string[] | null;
}>;

/**
 * Reads the leads whose e-mail has failed, came back from every recipient or had no recipient, unless they are spam or
 * archived.
 *
 * A lead of the last days counts whatever came after it, since no recipient has it. An older one counts until a later
 * e-mail has arrived, among the latest 2,000 submissions of the website: at one of its recipients, or about the same
 * form by the same rules.
 */
export const readUnsent = (db: Db, scope: AttentionScope, now: Date): Promise<UnsentLeads[]> => {
  const since = new Date(now.getTime() - KNOWN_DAYS * DAY_MS);
  const recent = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  return db.orm.$queryRaw`
    WITH unsent AS MATERIALIZED (
      SELECT s.website_id, s.team_id, s.form_id, n.state, n.delivered_to || n.refused AS recipients, n.matched_rules,
             min(s.created_at) AS first_at, array_agg(s.created_at) AS leads
        FROM notifications n JOIN submissions s ON s.id = n.submission_id
        JOIN websites w ON w.id = s.website_id JOIN teams ON teams.id = w.team_id
       WHERE n.state IN ('failed', 'bounced', 'no_recipient') AND n.submission_id >= ${firstIdFrom(since)}::uuid
         AND s.created_at >= ${since} AND ${isNeitherSpamNorArchived('s')} AND ${isLead('s')}
         AND NOT w.disabled AND teams.active AND ${inTeams(scope.teamIds, 's.team_id')}
       GROUP BY 1, 2, 3, 4, 5, 6
    ), judged AS MATERIALIZED (
      SELECT u.*, CASE WHEN u.first_at < ${recent} THEN (
        SELECT later.created_at
          FROM ${latestSubmissions(sql`website_id = u.website_id AND created_at > u.first_at`)} later
          JOIN notifications n ON n.submission_id = later.id
         WHERE n.sent_at IS NOT NULL AND n.state <> 'bounced' AND later.test_recipient IS NULL
           AND (n.delivered_to && u.recipients
                OR later.form_id = u.form_id AND n.matched_rules IS NOT DISTINCT FROM u.matched_rules)
         ORDER BY later.created_at DESC LIMIT 1) END AS mended_at
        FROM unsent u
    )
    SELECT website_id::text AS "websiteId", team_id AS "teamId", min(at) AS since,
           count(*) FILTER (WHERE state <> 'no_recipient')::int AS failed,
           count(*) FILTER (WHERE state = 'no_recipient')::int AS without,
           CASE WHEN state = 'bounced' THEN recipients END AS "cameBackFrom"
      FROM judged CROSS JOIN LATERAL unnest(leads) AS at
     WHERE at >= ${recent} OR mended_at IS NULL OR at > mended_at
     GROUP BY 1, 2, 6`;
};

type DeferredOfWebsite = Readonly<{ websiteId: string; teamId: number; since: Date; count: number }>;

/** Reads the e-mails that their recipients' servers have put off for long. */
export const readDeferred = (db: Db, scope: AttentionScope, now: Date): Promise<DeferredOfWebsite[]> =>
  db.orm.$queryRaw`
    SELECT s.website_id::text AS "websiteId", s.team_id AS "teamId", min(${waitingSince('n')}) AS since,
           count(*)::int AS count
      FROM notifications n JOIN submissions s ON s.id = n.submission_id
      JOIN websites w ON w.id = s.website_id JOIN teams ON teams.id = w.team_id
     WHERE n.state = 'pending' AND ${isDeferred('n')}
       AND ${waitingSince('n')} < ${now}::timestamptz - make_interval(mins => ${DEFERRED_MINUTES}::int)
       AND NOT w.disabled AND teams.active AND ${isLead('s')} AND ${inTeams(scope.teamIds, 's.team_id')}
     GROUP BY 1, 2`;

/** E-mails that no worker has got to the mail server: of a team, or of all together. */
type HeldMail = Readonly<{ teamId: number | null; since: Date; count: number }>;

const HELD = sql`(
  SELECT n.submission_id, ${waitingSince('n')} AS since FROM notifications n
   WHERE n.state = 'pending' AND NOT ${isDeferred('n')}
  UNION ALL
  SELECT r.submission_id, ${waitingSince('r')} FROM requested_emails r
   WHERE r.state = 'pending' AND NOT ${isDeferred('r')}) held`;

/** Returns the condition that the oldest of some e-mails `held` has waited for long. */
const isHeldLong = (now: Date): Prisma.Sql =>
  sql`min(since) <= ${now}::timestamptz - make_interval(mins => ${HELD_MINUTES}::int)`;

/**
 * Reads the e-mails that no worker has got to the mail server, if any has waited for long: of each team of a scope, or
 * of the installation as a whole, whose submissions are not read for it.
 */
export const readHeld = (db: Db, { teamIds }: AttentionScope, now: Date): Promise<HeldMail[]> => {
  const [team, source] = teamIds
    ? [
        sql`s.team_id`,
        sql`${HELD} JOIN submissions s ON s.id = held.submission_id AND ${inTeams(teamIds, 's.team_id')}`,
      ]
    : [sql`NULL::int`, HELD];
  return db.orm.$queryRaw`
    SELECT ${team} AS "teamId", min(since) AS since, count(*)::int AS count
      FROM ${source}
     GROUP BY 1 HAVING ${isHeldLong(now)}`;
};

/** Reads the teams, of all, whose e-mails no worker has got to the mail server for long. */
export async function readTeamsOfHeld(db: Db, now: Date): Promise<number[]> {
  const rows = await db.orm.$queryRaw<{ teamId: number }[]>`
    SELECT s.team_id AS "teamId" FROM ${HELD} JOIN submissions s ON s.id = held.submission_id
     GROUP BY 1 HAVING ${isHeldLong(now)}`;
  return rows.map(({ teamId }) => teamId);
}
