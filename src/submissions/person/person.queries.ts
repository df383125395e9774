import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { isLead } from '../../db/test-leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';

/** A website and how many submissions it has that a person's address is in. */
export type WebsiteCount = Readonly<{ websiteId: string; submissions: number }>;

/** What a team has about a person. */
export type PersonalData = Readonly<{
  /** Submissions that an erasure deletes. */
  submissions: number;
  /** Submissions under legal hold, which an erasure leaves. */
  held: number;
  notes: number;
  /** E-mails about them that a mail server has accepted, those that accounts requested included. */
  emails: number;
}>;

/** A team that has submissions of a person. */
export type TeamOfPerson = PersonalData & Readonly<{ teamId: number; firstAt: Date; lastAt: Date }>;

/** A person's submissions to a team, by an e-mail address in any case of letters. */
export type OfPerson = Readonly<{ teamId: number; email: string; limit: number }>;

const { sql } = Prisma;

const found = ({ teamId, email, limit }: OfPerson) => sql`
  SELECT s.id, s.website_id, s.legal_hold_at IS NOT NULL AS is_held, s.created_at FROM submissions s
   WHERE s.team_id = ${teamId} AND s.emails @> ${[email.toLowerCase()]}::text[] AND ${isLead('s')} LIMIT ${limit}`;

const COUNTS = Prisma.raw(`
  count(*) FILTER (WHERE NOT is_held)::int AS submissions, count(*) FILTER (WHERE is_held)::int AS held,
  coalesce(sum((SELECT count(*) FROM submission_notes n WHERE n.submission_id = found.id)), 0)::int AS notes,
  (count(*) FILTER (WHERE EXISTS (
     SELECT FROM notifications n WHERE n.submission_id = found.id AND n.sent_at IS NOT NULL))
   + coalesce(sum((SELECT count(*) FROM requested_emails r
                    WHERE r.submission_id = found.id AND r.sent_at IS NOT NULL)), 0))::int AS emails`);

/** Counts a team's submissions with an address by website, up to a number in all, the most first. */
export const countByWebsite = (db: Db, person: OfPerson): Promise<WebsiteCount[]> =>
  db.sql(sql`
    SELECT website_id::text AS "websiteId", count(*)::int AS submissions
      FROM (${found(person)}) found WHERE NOT is_held
     GROUP BY website_id ORDER BY count(*) DESC, website_id`);

/** Counts what a team has about a person, up to a number of submissions. */
export async function countPersonalData(db: Db, person: OfPerson): Promise<PersonalData> {
  const [counts] = await db.sql<PersonalData>(sql`SELECT ${COUNTS} FROM (${found(person)}) found`);
  return counts!;
}

/** Lists the teams within a scope that have submissions of a person, of so many submissions at most. */
export const readTeamsOf = (
  db: Db,
  { teamIds }: Pick<Scope, 'teamIds'>,
  { email, limit }: Omit<OfPerson, 'teamId'>,
): Promise<TeamOfPerson[]> =>
  db.sql(sql`
    SELECT team_id AS "teamId", min(created_at) AS "firstAt", max(created_at) AS "lastAt", ${COUNTS}
      FROM (SELECT s.id, s.team_id, s.created_at, s.legal_hold_at IS NOT NULL AS is_held FROM submissions s
             WHERE s.emails @> ${[email.toLowerCase()]}::text[] AND ${isLead('s')}
               AND ${teamIds ? sql`s.team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`} LIMIT ${limit}) found
     GROUP BY team_id ORDER BY max(created_at) DESC, team_id`);
