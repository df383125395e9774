import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';

const { sql, raw } = Prisma;

/** Days whose bounces count. */
const RECENT_DAYS = 14;

/** A recipient whose e-mails came back lately, without one that arrived since. */
export type BouncingRecipient = Readonly<{
  websiteId: string;
  teamId: number;
  recipient: string;
  since: Date;
  leads: number;
}>;

/** Tells whether an address `bounced.recipient` is one to which e-mails about leads of the website go today. */
const IS_RECIPIENT = raw(`(
  EXISTS (SELECT 1 FROM websites w
           WHERE w.id = bounced."websiteId"::uuid AND lower(w.email) = lower(bounced.recipient))
  OR EXISTS (SELECT 1 FROM form_links l JOIN forms f ON f.id = l.form_id
              WHERE l.website_id = bounced."websiteId"::uuid
                AND (bounced.recipient = ANY (l.recipients) OR bounced.recipient = ANY (f.recipients)
                  OR position(to_jsonb(bounced.recipient)::text IN l.recipient_rules::text) > 0
                  OR position(to_jsonb(bounced.recipient)::text IN f.recipient_rules::text) > 0)))`);

/**
 * Reads the recipients of today whose latest e-mail about a website's leads has bounced. One that was accepted later,
 * and has not come back within an hour, ends it.
 */
export const readBouncing = (
  db: Db,
  { teamIds }: AttentionScope,
  now: Date,
): Promise<BouncingRecipient[]> => {
  const ofTeams = teamIds ? sql`s.team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`;
  const since = new Date(now.getTime() - RECENT_DAYS * 86_400_000);
  return db.orm.$queryRaw`
    SELECT bounced.*
      FROM (SELECT s.website_id::text AS "websiteId", s.team_id AS "teamId", b.address AS recipient,
                   min(b.reported_at) AS since, max(b.reported_at) AS latest,
                   count(DISTINCT s.id)::int AS leads
              FROM bounces b JOIN submissions s ON s.id = b.submission_id
              JOIN websites w ON w.id = s.website_id JOIN teams t ON t.id = s.team_id
             WHERE b.kind = 'bounced' AND b.reported_at >= ${since} AND s.test_recipient IS NULL
               AND NOT w.disabled AND t.active AND ${ofTeams}
             GROUP BY s.website_id, s.team_id, b.address) bounced
     WHERE ${IS_RECIPIENT} AND NOT EXISTS (
       SELECT 1 FROM submissions later JOIN notifications n ON n.submission_id = later.id
        WHERE later.website_id = bounced."websiteId"::uuid AND later.created_at > bounced.latest
          AND n.sent_at > bounced.latest AND n.sent_at < ${now}::timestamptz - interval '1 hour'
          AND bounced.recipient = ANY (n.delivered_to)
          AND NOT EXISTS (SELECT 1 FROM bounces b
                           WHERE b.email_id = n.submission_id AND b.address = bounced.recipient
                             AND b.kind = 'bounced'))`;
};
