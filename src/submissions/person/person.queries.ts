import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { isLead } from '../../db/leads.queries.js';
import { inTeams } from '../../db/team-filter.js';
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
  /** The team's rules about spam that name the person's address. */
  spamRules: number;
}>;

/** A team that has submissions of a person, or a rule about spam that names the person; dates are of submissions. */
export type TeamOfPerson = PersonalData &
  Readonly<{ teamId: number; firstAt: Date | null; lastAt: Date | null }>;

/** A person's submissions to a team, by an e-mail address in any case of letters. */
export type OfPerson = Readonly<{ teamId: number; email: string; limit: number }>;

const { sql } = Prisma;

const found = ({ teamId, email, limit }: OfPerson) => sql`
  SELECT s.id, s.website_id, s.legal_hold_at IS NOT NULL AS is_held, s.created_at FROM submissions s
   WHERE s.team_id = ${teamId} AND s.emails @> ${[email.toLowerCase()]}::text[] AND ${isLead('s')} LIMIT ${limit}`;

/** The counts of found submissions, with the notes and e-mails of those for which a condition holds. */
const countsOf = (condition: 'is_counted' | 'NOT is_held') =>
  Prisma.raw(`
  count(*) FILTER (WHERE NOT is_held)::int AS submissions, count(*) FILTER (WHERE is_held)::int AS held,
  coalesce(sum((SELECT count(*) FROM submission_notes n WHERE n.submission_id = found.id))
    FILTER (WHERE ${condition}), 0)::int AS notes,
  (count(*) FILTER (WHERE ${condition} AND EXISTS (
     SELECT FROM notifications n WHERE n.submission_id = found.id AND n.sent_at IS NOT NULL))
   + coalesce(sum((SELECT count(*) FROM requested_emails r
                    WHERE r.submission_id = found.id AND r.sent_at IS NOT NULL))
       FILTER (WHERE ${condition}), 0))::int AS emails`);

/**
 * Returns the ids of a team's submissions with an address, as a subquery.
 *
 * The OFFSET is a fence for the planner: it looks the address up in its index. Where a statement that orders by id has
 * a limit, and the address is frequent, the planner otherwise reads the oldest submissions of all teams.
 */
export const idsWithAddress = ({ teamId, email }: Pick<OfPerson, 'teamId' | 'email'>): Prisma.Sql => sql`
  (SELECT id FROM (SELECT id, team_id FROM submissions
                    WHERE emails @> ${[email.toLowerCase()]}::text[] OFFSET 0) addressed
    WHERE team_id = ${teamId})`;

/** Reads the ids of the next of a team's submissions with an address. */
export async function nextIdsOf(db: Db, person: OfPerson, after: string): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM ${idsWithAddress(person)} found WHERE id > ${after}::uuid ORDER BY found.id LIMIT ${person.limit}`;
  return rows.map(({ id }) => id);
}

/** Counts a team's submissions with an address by website, up to a number in all, the most first. */
export const countByWebsite = (db: Db, person: OfPerson): Promise<WebsiteCount[]> =>
  db.sql(sql`
    SELECT website_id::text AS "websiteId", count(*)::int AS submissions
      FROM (${found(person)}) found WHERE NOT is_held
     GROUP BY website_id ORDER BY count(*) DESC, website_id`);

/**
 * Counts what an erasure would delete of what a team has about a person, and what is held; up to a number of
 * submissions.
 */
export async function countPersonalData(db: Db, person: OfPerson): Promise<PersonalData> {
  const [counts] = await db.sql<PersonalData>(sql`
    SELECT ${countsOf('NOT is_held')}, (SELECT count(*)::int FROM spam_rules
                        WHERE team_id = ${person.teamId} AND value = ${person.email.toLowerCase()}) AS "spamRules"
      FROM (${found(person)}) found`);
  return counts!;
}

/**
 * Lists the teams within a scope that have submissions of a person, or a rule about spam that names the person.
 *
 * Notes and e-mails are counted of so many submissions in all, the latest of each team before any team's next.
 */
export function readTeamsOf(
  db: Db,
  { teamIds }: Pick<Scope, 'teamIds'>,
  { email, limit }: Omit<OfPerson, 'teamId'>,
): Promise<TeamOfPerson[]> {
  const address = email.toLowerCase();
  return db.sql(sql`
    SELECT team_id AS "teamId", "firstAt", "lastAt", coalesce(submissions, 0) AS submissions,
           coalesce(held, 0) AS held, coalesce(notes, 0) AS notes, coalesce(emails, 0) AS emails,
           coalesce("spamRules", 0) AS "spamRules"
      FROM (SELECT team_id, min(created_at) AS "firstAt", max(created_at) AS "lastAt", ${countsOf('is_counted')}
              FROM (SELECT placed.*, row_number() OVER (ORDER BY place) <= ${limit} AS is_counted
                      FROM (SELECT s.id, s.team_id, s.created_at, s.legal_hold_at IS NOT NULL AS is_held,
                                   row_number() OVER (PARTITION BY s.team_id ORDER BY s.id DESC) AS place
                              FROM submissions s
                             WHERE s.emails @> ${[address]}::text[] AND ${isLead('s')}
                               AND ${inTeams(teamIds, 's.team_id')}) placed) found
             GROUP BY team_id) leads
      FULL JOIN (SELECT team_id, count(*)::int AS "spamRules" FROM spam_rules
                  WHERE value = ${address} AND ${inTeams(teamIds, 'team_id')} GROUP BY team_id) rules USING (team_id)
     ORDER BY "lastAt" DESC NULLS LAST, team_id`);
}
