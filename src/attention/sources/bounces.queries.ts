import type { Db } from '../../db/client.js';
import { firstIdFrom } from '../../db/first-id.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import { DAY_MS } from '../../lib/durations.js';
import type { AttentionScope } from '../attention-item.js';
import { latestSubmissions } from './latest-submissions.queries.js';

const { sql, raw } = Prisma;

/** Days whose bounces count. */
const KNOWN_DAYS = 30;

/** A recipient whose e-mails were refused or came back lately, without one that arrived since. */
export type BouncingRecipient = Readonly<{
  websiteId: string;
  teamId: number;
  recipient: string;
  since: Date;
  leads: number;
  /** Where the address is set: on the form's placement, in the form, or in the settings of the website. */
  place: 'placement' | 'form' | 'website';
  /** The form, unless it is the website's own address. */
  formId: number | null;
}>;

/** Selects where an address `bounced.recipient`, to which e-mails about leads of the website go today, is set first. */
const PLACE = raw(`
  SELECT place, "formId"
    FROM (SELECT CASE WHEN is_of_placement THEN 'placement' ELSE 'form' END AS place, form_id AS "formId",
                 CASE WHEN is_of_placement THEN 1 ELSE 2 END AS rank
            FROM (SELECT l.form_id,
                         bounced.recipient = ANY (l.recipients)
                           OR position(to_jsonb(bounced.recipient)::text IN l.recipient_rules::text) > 0
                           AS is_of_placement,
                         bounced.recipient = ANY (f.recipients)
                           OR position(to_jsonb(bounced.recipient)::text IN f.recipient_rules::text) > 0 AS is_of_form
                    FROM form_links l JOIN forms f ON f.id = l.form_id
                   WHERE l.website_id = bounced."websiteId"::uuid) placed
           WHERE is_of_placement OR is_of_form
          UNION ALL
          SELECT 'website', NULL, 3 FROM websites w
           WHERE w.id = bounced."websiteId"::uuid AND lower(w.email) = lower(bounced.recipient)) places
   ORDER BY rank, "formId" LIMIT 1`);

/**
 * Reads the recipients of today whose latest e-mail about a website's leads was refused, while others got it, or has
 * bounced. One that was accepted later,
 * and has not come back within an hour, ends it; it is looked for in the latest 2,000 submissions of the website.
 *
 * The LIMIT keeps the planner from a join with every e-mail that was ever sent, instead of a look at those of few days.
 */
export const readBouncing = (
  db: Db,
  { teamIds }: AttentionScope,
  now: Date,
): Promise<BouncingRecipient[]> => {
  const since = new Date(now.getTime() - KNOWN_DAYS * DAY_MS);
  return db.orm.$queryRaw`
    SELECT bounced.*, set_at.place, set_at."formId"
      FROM (SELECT s.website_id::text AS "websiteId", s.team_id AS "teamId", returned.address AS recipient,
                   min(returned.at) AS since, max(returned.at) AS latest,
                   count(DISTINCT s.id)::int AS leads
              FROM (SELECT submission_id, address, reported_at AS at FROM bounces
                     WHERE kind = 'bounced' AND reported_at >= ${since}
                    UNION ALL
                    SELECT submission_id, unnest(refused), sent_at FROM notifications
                     WHERE refused <> '{}' AND state = 'sent' AND submission_id >= ${firstIdFrom(since)}::uuid
                   ) returned
              JOIN submissions s ON s.id = returned.submission_id
              JOIN websites w ON w.id = s.website_id JOIN teams t ON t.id = s.team_id
             WHERE returned.at >= ${since} AND s.test_recipient IS NULL
               AND NOT w.disabled AND t.active AND ${inTeams(teamIds, 's.team_id')}
             GROUP BY s.website_id, s.team_id, returned.address) bounced
     CROSS JOIN LATERAL (${PLACE}) set_at
     WHERE (
       SELECT true
         FROM ${latestSubmissions(sql`website_id = bounced."websiteId"::uuid AND created_at > bounced.latest`)} later
         JOIN notifications n ON n.submission_id = later.id
        WHERE n.sent_at > bounced.latest AND n.sent_at < ${now}::timestamptz - interval '1 hour'
          AND bounced.recipient = ANY (n.delivered_to)
          AND NOT EXISTS (SELECT 1 FROM bounces b
                           WHERE b.email_id = n.submission_id AND b.address = bounced.recipient
                             AND b.kind = 'bounced')
        ORDER BY later.created_at DESC LIMIT 1) IS NULL`;
};
