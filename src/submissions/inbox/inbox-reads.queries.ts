import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { isLead } from '../../db/leads.queries.js';
import { type NotificationState, Prisma, type SubmissionState } from '../../generated/prisma/client.js';
import type { AddressedEmail } from '../../notifications/recipients.js';
import { CHOSEN_RECIPIENTS } from '../../notifications/submission-email/email-source.queries.js';
import {
  countOf,
  type Direction,
  everyCondition,
  type Index,
  inOrder,
  instantOf,
  matching,
  nextPositions,
  type Position,
  positionColumns,
} from './inbox.queries.js';
import type { InboxFilter } from './inbox-filter.schema.js';
import { LISTED_JSON } from './listed-submission.js';

/** The next submissions after a position, or the first ones. */
export type PageRequest = Readonly<{ position: Position | null; direction: Direction; limit: number }>;

/** A submission with its position in the inbox, still to be parsed with `readListed`. */
export type PositionedSubmission = Position & Readonly<{ formId: number; json: string }>;

type StateCount = Readonly<{ state: SubmissionState; count: number }>;

/** Builds a subquery of the positions of these submissions, for `readSubmissions`. */
export const idsAsRows = (ids: readonly string[]) => Prisma.sql`SELECT unnest(${[...ids]}::uuid[]) AS id`;

/** Reads the next positions of the inbox. */
export const readPositions = (
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  request: PageRequest,
): Promise<Position[]> =>
  db.sql(Prisma.sql`SELECT ${positionColumns('s')} FROM (${nextPositions(scope, filter, request)}) s`);

/** Scans the next `length` submissions for matches, and reads with them the position at which the scan ends. */
export function scanWindow(
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  { position, direction, limit }: PageRequest,
  length: number,
): Promise<(Position & { isEnd: boolean })[]> {
  const candidates = nextPositions(scope, filter, { position, direction, limit: length });
  // Only the last row gets the columns of a position: for every scanned row they would double the time.
  return db.sql(Prisma.sql`
    (SELECT ${positionColumns('c')}, false AS "isEnd" FROM (${matching(scope, filter, candidates)}) c
      ORDER BY ${inOrder(direction, 'c')} LIMIT ${limit})
    UNION ALL
    (SELECT ${positionColumns('last')}, true
       FROM (SELECT c.created_at, c.id FROM (${candidates}) c
              ORDER BY ${inOrder(direction, 'c')} OFFSET ${length - 1} LIMIT 1) last)`);
}

/** Reads matches through the index of a costly condition, sorted; none when the index has more than the maximum. */
export async function readMatches(
  db: Db,
  { known, fitting }: Index,
  { direction, limit, maximum }: Readonly<{ direction: Direction; limit: number; maximum: number }>,
): Promise<{ total: number; positions: Position[] }> {
  const [answer] = await db.sql<{ total: number; positions: Position[] }>(Prisma.sql`
    WITH known AS MATERIALIZED (${known} LIMIT ${maximum + 1}),
    counted AS MATERIALIZED (SELECT count(*)::int AS total FROM known)
    SELECT total, ARRAY(
      SELECT jsonb_build_object('id', f.id, 'at', ${instantOf('f')}) FROM (${fitting}) f
       WHERE (SELECT total FROM counted) <= ${maximum}
       ORDER BY ${inOrder(direction, 'f')} LIMIT ${limit}) AS positions FROM counted`);
  return answer!;
}

/**
 * Reads the submissions at positions, given as a subquery, without those deleted meanwhile.
 *
 * One statement reads their notifications too, so that no rows wait in memory for another one.
 */
export const readSubmissions = (
  db: Db,
  positions: Prisma.Sql,
  direction: Direction,
  name?: string,
): Promise<PositionedSubmission[]> =>
  db.sql(
    Prisma.sql`
    SELECT ${positionColumns('s')}, s.form_id AS "formId", ${LISTED_JSON} AS json
      FROM (${positions}) p JOIN submissions s ON s.id = p.id
      LEFT JOIN notifications n ON n.submission_id = s.id
     WHERE ${isLead('s')}
     ORDER BY ${inOrder(direction, 's')}`,
    name,
  );

/** Counts matches by state, up to a number of rows in all. */
export const countMatches = (
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  rows: number,
): Promise<StateCount[]> =>
  db.sql(Prisma.sql`
    WITH found AS MATERIALIZED (
      SELECT s.state FROM submissions s ${everyCondition(scope, filter, null, 'forward')} LIMIT ${rows}
    )
    SELECT state::text AS state, count(*)::int AS count FROM found GROUP BY state`);

/** Counts the submissions in each of these states in the indexes, each up to a number of rows. */
export const countStates = (
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  states: readonly SubmissionState[],
  rows: number,
): Promise<StateCount[]> =>
  db.sql(
    Prisma.join(
      states.map((state) => countOf(scope, filter, state, rows)),
      ' UNION ALL ',
    ),
  );

/**
 * Counts the submissions whose e-mails are in each of these states, among the latest of the installation.
 *
 * OFFSET is a fence for the planner, which would rather collect all submissions that the filter finds.
 *
 * @param seen E-mails of a state that are looked through; a count is exact when there are no more.
 */
export const countUnsent = (
  db: Db,
  scope: Scope,
  filter: InboxFilter,
  states: readonly NotificationState[],
  seen: number,
): Promise<{ state: NotificationState; count: number; isExact: boolean }[]> => {
  const rest = everyCondition(scope, { ...filter, notificationStates: undefined }, null, 'forward');
  const counts = states.map(
    (state) => Prisma.sql`(
      WITH latest AS MATERIALIZED (
        SELECT submission_id AS id FROM notifications WHERE state = ${state}::notification_state
         ORDER BY submission_id DESC LIMIT ${seen + 1}
      )
      SELECT ${state}::text AS state, (SELECT count(*) <= ${seen} FROM latest) AS "isExact",
             (SELECT count(*)::int FROM latest CROSS JOIN LATERAL (
                SELECT FROM (SELECT * FROM submissions WHERE id = latest.id OFFSET 0) s ${rest}) s) AS count)`,
  );
  return db.sql(Prisma.join(counts, ' UNION ALL '));
};

/** Reads the current recipients of notifications, and what became of each. */
export const readAddressed = (
  db: Db,
  submissionIds: readonly string[],
): Promise<(AddressedEmail & { submissionId: string })[]> => db.orm.$queryRaw`
  SELECT n.submission_id::text AS "submissionId", n.state, n.delivered_to AS "deliveredTo", n.refused,
         n.next_attempt_at AS "nextAttemptAt", n.matched_rules AS "matchedRules",
         ARRAY(SELECT address FROM unnest(${CHOSEN_RECIPIENTS}) AS address WHERE address ~ '\\S') AS recipients
    FROM notifications n JOIN submissions s ON s.id = n.submission_id
   WHERE n.submission_id = ANY (${[...submissionIds]}::uuid[])`;
