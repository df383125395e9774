import { NIL } from 'uuid';
import type { Db } from '../db/client.js';
import { Prisma, type SpamFilter, type SpamRuleKind } from '../generated/prisma/client.js';
import { WITHHELD_DELIVERIES } from '../webhooks/outbox.queries.js';
import type { FeatureCount } from './classifier.js';
import type { JudgedSubmission, ReadField } from './message.js';
import type { Reason } from './verdict.js';

/** How long what a message says is recognised on other websites, in hours. */
const TRACE_HOURS = 24;

/** How many other websites are counted: a verdict tells no more of them apart. */
const MAX_ELSEWHERE = 50;

/** A submission that is to be judged, with the settings that it is judged by. */
export type Judgeable = JudgedSubmission &
  Readonly<{
    id: string;
    teamId: number;
    websiteId: string;
    /** The id of the request that sent it; null when an earlier version recorded it. */
    requestId: string | null;
    /** Seconds from the page's signature to the submission; null when an earlier version recorded it. */
    signatureAgeS: number | null;
    filter: SpamFilter;
    threshold: number;
    fields: readonly ReadField[];
  }>;

/** What a submission says, by its hashes. */
type TracedSubmission = Readonly<{ id: string; websiteId: string; hashes: readonly number[] }>;

/** A verdict to be recorded. */
export type RecordedVerdict = Readonly<{
  id: string;
  /** Id of the event in the audit trail, if it is withheld. */
  eventId: string;
  score: number;
  threshold: number;
  filter: SpamFilter;
  isWithheld: boolean;
  reasons: readonly Reason[];
}>;

/** Selects the fields of the form of a submission `s`, by name and type. */
const FIELDS = Prisma.raw(`coalesce((SELECT jsonb_agg(jsonb_build_object('name', name, 'type', type))
                     FROM form_fields WHERE form_id = s.form_id), '[]')`);

/** Selects what of a submission `s` on a website `w` is read as a message. */
export const MESSAGE = Prisma.sql`
  s.id::text AS id, s."values", s.undeclared, s.emails, s.locale, w.host, ${FIELDS} AS fields`;

/**
 * Reads those of the submissions that are to be judged: of visitors, new, not judged before and not tried yet, where a
 * filter is on. One whose state an account has set is not judged any more, and a test lead never is.
 */
export const readJudgeable = (db: Db, ids: readonly string[]): Promise<Judgeable[]> =>
  db.sql(
    Prisma.sql`
    SELECT ${MESSAGE}, s.team_id AS "teamId", s.website_id::text AS "websiteId", s.request_id AS "requestId",
           s.signature_age_s AS "signatureAgeS",
           coalesce(f.spam_filter, t.spam_filter) AS filter, t.spam_threshold AS threshold
      FROM notifications n
      JOIN submissions s ON s.id = n.submission_id
      JOIN websites w ON w.id = s.website_id
      JOIN forms f ON f.id = s.form_id
      JOIN teams t ON t.id = s.team_id
     WHERE n.submission_id = ANY (${[...ids]}::uuid[]) AND n.state = 'pending' AND n.attempts = 0
       AND s.state = 'new' AND s.state_changed_at IS NULL AND s.token_id IS NULL AND s.test_recipient IS NULL
       AND coalesce(f.spam_filter, t.spam_filter) <> 'off'
       AND NOT EXISTS (SELECT 1 FROM spam_verdicts v WHERE v.submission_id = s.id)`,
    'read-judgeable',
  );

/** Finds the ids by which the log lines about a submission are found; none when it is gone. */
export async function findLogIds(db: Db, submissionId: string): Promise<object> {
  const ids = await db.orm.submission.findUnique({
    where: { id: submissionId },
    select: { requestId: true, websiteId: true },
  });
  return { leadId: submissionId, ...ids };
}

/** Stores traces of what submissions say, before `countElsewhere` looks for the same on other websites. */
export async function addTraces(db: Db, submissions: readonly TracedSubmission[]): Promise<void> {
  const rows = submissions.flatMap(({ id, websiteId, hashes }) =>
    [...new Set(hashes)].map((hash) => ({ id, website: websiteId, hash })),
  );
  if (rows.length === 0) return;
  await db.sql(
    Prisma.sql`
    INSERT INTO spam_traces (submission_id, hash, website_id)
    SELECT id, hash, website FROM json_to_recordset(${JSON.stringify(rows)}::json) AS said (id uuid, hash bigint, website uuid)
     ORDER BY id, hash
    ON CONFLICT DO NOTHING`,
    'add-spam-traces',
  );
}

/** Selects the first website after another through which what `said` says came within a day. */
const nextWebsite = (after: Prisma.Sql) => Prisma.sql`
  SELECT t.website_id FROM spam_traces t
   WHERE t.hash = said.hash AND t.website_id > ${after} AND t.seen_at > now() - make_interval(hours => ${TRACE_HOURS})
   ORDER BY t.website_id LIMIT 1`;

/**
 * Counts for each submission and hash the other websites that it came through within a day, up to 50. It goes from one
 * website to the next in the index: a campaign has thousands of traces of one hash, and each of its messages is judged.
 */
export const countElsewhere = (
  db: Db,
  submissions: readonly TracedSubmission[],
): Promise<{ id: string; hash: number; websites: number }[]> =>
  db.sql(
    Prisma.sql`
    SELECT said.id::text AS id, said.hash::float8 AS hash, (
             WITH RECURSIVE seen AS (
               (${nextWebsite(Prisma.sql`${NIL}::uuid`)})
               UNION ALL
               SELECT next.website_id FROM seen CROSS JOIN LATERAL (${nextWebsite(Prisma.sql`seen.website_id`)}) next
             )
             SELECT least(${MAX_ELSEWHERE}::int, count(*) FILTER (WHERE website_id <> said.website))::int
               FROM (SELECT website_id FROM seen LIMIT ${MAX_ELSEWHERE + 1}) bounded
           ) AS websites
      FROM json_to_recordset(${JSON.stringify(
        submissions.flatMap(({ id, websiteId, hashes }) =>
          hashes.map((hash) => ({ id, hash, website: websiteId })),
        ),
      )}::json) AS said (id uuid, hash bigint, website uuid)`,
    'count-spam-traces',
  );

/** Deletes traces that are too old for `countElsewhere`. */
export const purgeTraces = (db: Db, limit: number): Promise<number> =>
  db.orm.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT submission_id, hash FROM spam_traces
       WHERE seen_at < now() - make_interval(hours => ${TRACE_HOURS})
       ORDER BY seen_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM spam_traces t USING old WHERE t.submission_id = old.submission_id AND t.hash = old.hash`;

/** Finds the rules of teams about addresses and domains, and all of theirs about words. */
export const findRules = (
  db: Db,
  teamIds: readonly number[],
  senders: readonly string[],
): Promise<{ teamId: number; kind: SpamRuleKind; value: string }[]> =>
  db.sql(
    Prisma.sql`
    SELECT team_id AS "teamId", kind, value FROM spam_rules
     WHERE team_id = ANY (${[...teamIds]}::int[])
       AND (kind = 'blocked_word' OR value = ANY (${[...senders]}::text[]))
     ORDER BY value`,
    'find-spam-rules',
  );

/** Reads in how many samples each feature is. */
export const readFeatures = (db: Db, features: readonly number[]): Promise<FeatureCount[]> =>
  db.sql(
    Prisma.sql`
    SELECT feature, spam, leads FROM spam_features WHERE feature = ANY (${[...features]}::int[])`,
    'read-spam-features',
  );

/**
 * Records verdicts and withholds the e-mails of those that are spam, unless an attempt has begun or an account has
 * changed the submission's state meanwhile. It locks submissions before notifications, as deletions do.
 *
 * @returns the submissions whose e-mails are withheld now.
 */
export async function recordVerdicts(db: Db, verdicts: readonly RecordedVerdict[]): Promise<string[]> {
  const rows = await db.sql<{ id: string }>(
    Prisma.sql`
    WITH judged AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(verdicts)}::json) AS judged(
        id uuid, "eventId" uuid, score int, threshold int, filter spam_filter, "isWithheld" boolean, reasons jsonb)
    ), locked AS MATERIALIZED (
      SELECT s.id, s.team_id FROM submissions s
       WHERE s.id = ANY (${verdicts.map(({ id }) => id)}::uuid[]) AND s.state = 'new'
         AND s.state_changed_at IS NULL
       ORDER BY s.id FOR NO KEY UPDATE
    ), withheld AS (
      UPDATE notifications n SET state = 'withheld'
        FROM judged JOIN locked USING (id)
       WHERE n.submission_id = judged.id AND judged."isWithheld" AND n.state = 'pending' AND n.attempts = 0
      RETURNING n.submission_id AS id
    ), webhook AS (${WITHHELD_DELIVERIES}
    ), recorded AS (
      INSERT INTO spam_verdicts (submission_id, team_id, score, threshold, filter, reasons)
      SELECT id, team_id, score, threshold, filter, reasons FROM judged JOIN locked USING (id)
       WHERE NOT "isWithheld" OR id IN (SELECT id FROM withheld)
       ORDER BY id
      ON CONFLICT DO NOTHING
    ), moved AS (
      UPDATE submissions s SET state = 'spam', state_changed_at = now()
        FROM withheld WHERE s.id = withheld.id
      RETURNING s.id, s.team_id
    ), audited AS (
      INSERT INTO audit_events (id, team_id, channel, action, subject_type, subject_id, detail)
      SELECT "eventId", team_id, 'system', 'submission.state_changed', 'submission', id::text,
             jsonb_build_object('from', 'new', 'to', 'spam')
        FROM moved JOIN judged USING (id)
    )
    SELECT id::text AS id FROM withheld`,
    'record-spam-verdicts',
  );
  return rows.map(({ id }) => id);
}
