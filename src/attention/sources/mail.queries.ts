import type { Db } from '../../db/client.js';
import { isLead } from '../../db/test-leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';

const { sql } = Prisma;

const DAY_MS = 86_400_000;

/** Days whose e-mails count. */
const RECENT_DAYS = 7;

/** Age in minutes from which an e-mail that the workers have not tried is held. */
const HELD_MINUTES = 10;

/** Age in minutes from which an e-mail that a recipient's server puts off is worth a look. */
const DEFERRED_MINUTES = 120;

/** The first id (UUID version 7) that a submission can have from a moment on. */
function idFrom(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

const ofTeams = ({ teamIds }: AttentionScope, column: string) =>
  teamIds ? sql`${Prisma.raw(column)} = ANY (${[...teamIds]}::int[])` : sql`TRUE`;

export type UnsentOfWebsite = Readonly<{
  websiteId: string;
  teamId: number;
  since: Date;
  failed: number;
  without: number;
}>;

/** Reads the leads of the last days whose e-mail has failed or had no recipient, unless they are spam or archived. */
export const readUnsent = (db: Db, scope: AttentionScope, now: Date): Promise<UnsentOfWebsite[]> => {
  const since = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  return db.orm.$queryRaw`
    SELECT s.website_id::text AS "websiteId", s.team_id AS "teamId", min(s.created_at) AS since,
           count(*) FILTER (WHERE n.state = 'failed')::int AS failed,
           count(*) FILTER (WHERE n.state = 'no_recipient')::int AS without
      FROM notifications n JOIN submissions s ON s.id = n.submission_id
      JOIN websites w ON w.id = s.website_id JOIN teams ON teams.id = w.team_id
     WHERE n.state IN ('failed', 'no_recipient') AND n.submission_id >= ${idFrom(since)}::uuid
       AND s.created_at >= ${since} AND s.state IN ('new', 'in_progress', 'done') AND ${isLead('s')}
       AND NOT w.disabled AND teams.active AND ${ofTeams(scope, 's.team_id')}
     GROUP BY 1, 2`;
};

export type DeferredOfWebsite = Readonly<{ websiteId: string; teamId: number; since: Date; count: number }>;

/** Reads the e-mails that their recipients' servers have put off for long. */
export const readDeferred = (db: Db, scope: AttentionScope, now: Date): Promise<DeferredOfWebsite[]> =>
  db.orm.$queryRaw`
    SELECT s.website_id::text AS "websiteId", s.team_id AS "teamId", min(n.created_at) AS since,
           count(*)::int AS count
      FROM notifications n JOIN submissions s ON s.id = n.submission_id
      JOIN websites w ON w.id = s.website_id JOIN teams ON teams.id = w.team_id
     WHERE n.state = 'pending' AND (n.retries > 0 OR n.unconfirmed > 0)
       AND n.created_at < ${now}::timestamptz - make_interval(mins => ${DEFERRED_MINUTES}::int)
       AND NOT w.disabled AND teams.active AND ${isLead('s')} AND ${ofTeams(scope, 's.team_id')}
     GROUP BY 1, 2`;

/** Reads the e-mails of the installation that no worker has got to the mail server, if any has waited for long. */
export async function readHeld(db: Db, now: Date): Promise<{ since: Date; count: number } | null> {
  const [row] = await db.orm.$queryRaw<[{ since: Date | null; count: number }]>`
    SELECT min(created_at) AS since, count(*)::int AS count
      FROM notifications WHERE state = 'pending' AND retries = 0 AND unconfirmed = 0`;
  if (!row.since || now.getTime() - row.since.getTime() < HELD_MINUTES * 60_000) return null;
  return { since: row.since, count: row.count };
}
