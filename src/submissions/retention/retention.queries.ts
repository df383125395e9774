import type { Db } from '../../db/client.js';
import { isLead } from '../../db/leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';
import { DELETED_COLUMNS, DELETION_DELIVERIES } from '../../webhooks/outbox.queries.js';

const { sql } = Prisma;

/** A form and the months for which its submissions are kept after the person's last contact. */
export type FormPeriod = Readonly<{ formId: number; months: number }>;

/** One portion of a run. `none`: no run of this day is left, or another process has it. */
export type Portion = Readonly<{ state: 'deleted' | 'finished' | 'none'; deleted: number }>;

/** How many submissions are due. `isExact` is false when there are more than were looked at. */
export type DueCount = Readonly<{ due: number; held: number; isExact: boolean }>;

/** Submissions that become due in a month, written as in `2026-11`. */
export type MonthCount = Readonly<{ month: string; submissions: number }>;

/** A run of a day. */
export type Run = Readonly<{ startedAt: Date; finishedAt: Date | null; submissions: number }>;

/** Begins the run of a day (UTC), unless it has begun. */
export const beginRun = async ({ sql: run }: Db, now: Date): Promise<void> =>
  void (await run(sql`
    INSERT INTO retention_runs (day, started_at) VALUES ((${now}::timestamptz AT TIME ZONE 'UTC')::date, ${now})
    ON CONFLICT DO NOTHING`));

/**
 * Begins the run of a day (UTC) anew, for leads that became due in forms it has passed. Waits for a portion in
 * progress.
 */
export const restartRun = async ({ sql: run }: Db, now: Date): Promise<void> =>
  void (await run(sql`
    UPDATE retention_runs SET form_id = NULL, read_to = NULL, read_to_id = NULL, finished_at = NULL
     WHERE day = (${now}::timestamptz AT TIME ZONE 'UTC')::date`));

/** Tells whether the run of a day (UTC) has not ended. */
export const isRunUnfinished = async ({ sql: run }: Db, now: Date): Promise<boolean> =>
  (
    await run(sql`
      SELECT FROM retention_runs
       WHERE day = (${now}::timestamptz AT TIME ZONE 'UTC')::date AND finished_at IS NULL`)
  ).length > 0;

/** Reads the latest run; null before the first. */
export const readLatestRun = async ({ sql: run }: Db): Promise<Run | null> =>
  (
    await run<Run>(sql`
      SELECT started_at AS "startedAt", finished_at AS "finishedAt", submissions
        FROM retention_runs ORDER BY day DESC LIMIT 1`)
  )[0] ?? null;

/**
 * The addresses of `old` rows whose person has been in contact since.
 *
 * The OFFSET is a fence for the planner: it looks each address up in the index of addresses, where a join with the
 * team's submissions would compare all of them with every address. The aggregate reads all that the look-up finds: for
 * the first row alone, as of a LIMIT, the planner prefers to read the table from its beginning.
 */
const IN_CONTACT = Prisma.raw(`
  SELECT a.address, a.before
    FROM (SELECT DISTINCT unnest(emails) AS address, team_id, before FROM old) a
   CROSS JOIN LATERAL (
     SELECT bool_or(later.team_id = a.team_id AND later.created_at >= a.before AND later.test_recipient IS NULL) AS is_any
       FROM (SELECT team_id, created_at, test_recipient FROM submissions
              WHERE emails @> ARRAY[a.address] OFFSET 0) later) contact
   WHERE contact.is_any`);

/**
 * The ids of the rows of `old` that have an address of `in_contact`, joined once: a search for each would take the
 * square.
 */
const MET = Prisma.raw(`
  SELECT DISTINCT one.id
    FROM (SELECT id, before, unnest(emails) AS address FROM old) one
    JOIN in_contact USING (address, before)`);

/** Whether a row of `old` is due: none of its addresses is in contact, nor was by a lead that has been deleted. */
const IS_DUE = Prisma.raw(
  `coalesce(old.last_contact_at < old.before, true) AND old.id NOT IN (SELECT id FROM met)`,
);

/** Leads of one address in which a run keeps a contact. The ones before them are due as if it had not been. */
const KEPT_PER_ADDRESS = 100;

/**
 * Locks the older leads of the persons of `due` that may stay, which are those of forms with a longer period. Under an
 * equal or shorter one, what is due is no contact any more.
 *
 * They are locked in the order of their ids, as by every change of many leads, and before anything else is.
 */
const EARLIER = Prisma.raw(`
  SELECT id, created_at, emails FROM submissions
   WHERE id = ANY (ARRAY(
     SELECT earlier.id
       FROM (SELECT address, max(created_at) AS at FROM due CROSS JOIN unnest(emails) AS address
              WHERE (SELECT has_longer FROM form) GROUP BY address) contact
       CROSS JOIN form
       CROSS JOIN LATERAL (
         SELECT found.id
           FROM (SELECT id, team_id, form_id, created_at FROM submissions
                  WHERE emails @> ARRAY[contact.address] OFFSET 0) found
           JOIN forms f ON f.id = found.form_id
           JOIN teams t ON t.id = f.team_id
          WHERE found.team_id = form.team_id AND found.created_at < contact.at
            AND coalesce(coalesce(f.retention_months, t.retention_months) > form.months, true)
          ORDER BY found.created_at DESC LIMIT ${KEPT_PER_ADDRESS}) earlier))
   ORDER BY id FOR NO KEY UPDATE`);

/** Keeps in `earlier` leads when their person was in contact by one of the relation `deleted`. */
const KEEP_LAST_CONTACT = Prisma.raw(`
  UPDATE submissions s SET last_contact_at = contact.at
    FROM (SELECT earlier.id, max(deleted.created_at) AS at
            FROM earlier CROSS JOIN unnest(earlier.emails) AS of_earlier
            JOIN (deleted CROSS JOIN unnest(deleted.emails) AS of_deleted) ON of_deleted = of_earlier
           WHERE earlier.created_at < deleted.created_at
           GROUP BY earlier.id) contact
   WHERE s.id = contact.id AND coalesce(s.last_contact_at < contact.at, true)`);

/**
 * Deletes the next portion of a day's run and moves the run on, in one statement.
 *
 * The row of the run is the lock: another process that has it makes this one do nothing. Submissions under legal hold
 * stay, also when the hold comes while the statement runs, and those that another transaction has locked wait for the
 * next day.
 */
export async function deletePortion(
  { sql: run }: Db,
  { now, limit }: Readonly<{ now: Date; limit: number }>,
): Promise<Portion> {
  const [portion] = await run<Portion>(sql`
    WITH run AS MATERIALIZED (
      SELECT day, form_id, read_to, read_to_id FROM retention_runs
       WHERE day = (${now}::timestamptz AT TIME ZONE 'UTC')::date AND finished_at IS NULL
         FOR UPDATE SKIP LOCKED
    ), form AS MATERIALIZED (
      SELECT f.id, f.team_id, period.months,
             CASE WHEN f.id = run.form_id THEN run.read_to END AS read_to,
             CASE WHEN f.id = run.form_id THEN run.read_to_id END AS read_to_id,
             ${now}::timestamptz - make_interval(months => period.months) AS before,
             EXISTS (SELECT FROM forms other
                      WHERE other.team_id = f.team_id
                        AND coalesce(coalesce(other.retention_months, t.retention_months) > period.months, true)) AS has_longer
        FROM run JOIN forms f ON f.id >= coalesce(run.form_id, 0) JOIN teams t ON t.id = f.team_id
        CROSS JOIN LATERAL (SELECT coalesce(f.retention_months, t.retention_months) AS months) period
       WHERE period.months IS NOT NULL
       ORDER BY f.id LIMIT 1
    ), old AS MATERIALIZED (
      SELECT s.id, s.created_at, s.emails, s.last_contact_at, form.team_id, form.before
        FROM form CROSS JOIN LATERAL (
          SELECT s.id, s.created_at, s.emails, s.last_contact_at FROM submissions s
           WHERE s.form_id = form.id AND s.created_at < form.before AND s.test_recipient IS NULL
             AND (s.created_at, s.id) > (coalesce(form.read_to, '-infinity'),
                                         coalesce(form.read_to_id, '00000000-0000-0000-0000-000000000000'))
           ORDER BY s.created_at, s.id LIMIT ${limit}) s
    ), in_contact AS MATERIALIZED (${IN_CONTACT}
    ), met AS MATERIALIZED (${MET}
    ), due AS MATERIALIZED (
      SELECT id, created_at, emails FROM old WHERE ${IS_DUE}
    ), earlier AS MATERIALIZED (${EARLIER}
    ), locked AS MATERIALIZED (
      SELECT id FROM submissions
       WHERE id = ANY (ARRAY(SELECT id FROM due)) AND legal_hold_at IS NULL AND (SELECT count(*) FROM earlier) >= 0
         FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM submissions WHERE id = ANY (ARRAY(SELECT id FROM locked))
      RETURNING ${DELETED_COLUMNS}, created_at, emails
    ), kept AS (${KEEP_LAST_CONTACT}
    ), webhook AS (${DELETION_DELIVERIES}
    ), last AS (
      SELECT created_at, id FROM old ORDER BY created_at DESC, id DESC LIMIT 1
    ), progress AS (
      SELECT (SELECT id FROM form) AS form_id, (SELECT count(*) FROM old) = ${limit} AS has_more,
             (SELECT count(*)::int FROM deleted) AS deleted
    )
    UPDATE retention_runs r
       SET form_id = CASE WHEN has_more THEN progress.form_id ELSE progress.form_id + 1 END,
           read_to = CASE WHEN has_more THEN (SELECT created_at FROM last) END,
           read_to_id = CASE WHEN has_more THEN (SELECT id FROM last) END,
           submissions = r.submissions + deleted,
           finished_at = CASE WHEN progress.form_id IS NULL THEN ${now}::timestamptz END
      FROM run, progress WHERE r.day = run.day
    RETURNING CASE WHEN r.finished_at IS NULL THEN 'deleted' ELSE 'finished' END AS state, deleted`);
  return portion ?? { state: 'none', deleted: 0 };
}

const formTable = (forms: readonly FormPeriod[]) => sql`
  unnest(${forms.map(({ formId }) => formId)}::int[], ${forms.map(({ months }) => months)}::int[]) AS form(id, months)`;

/** Addresses that a preview looks up. A lead usually has one, and a form may ask for many. */
const LOOKED_UP = 10_000;

/** Counts the submissions of forms that are due under given periods, of so many expired ones at most. */
export async function countDue(
  { sql: run }: Db,
  forms: readonly FormPeriod[],
  { now, limit }: Readonly<{ now: Date; limit: number }>,
): Promise<DueCount> {
  const [count] = await run<DueCount>(sql`
    WITH expired AS MATERIALIZED (
      SELECT s.id, s.emails, s.last_contact_at, s.team_id, s.legal_hold_at IS NOT NULL AS is_held, period.before
        FROM ${formTable(forms)}
        CROSS JOIN LATERAL (SELECT ${now}::timestamptz - make_interval(months => form.months) AS before) period
        JOIN submissions s ON s.form_id = form.id AND s.created_at < period.before AND ${isLead('s')}
       LIMIT ${limit + 1}
    ), old AS MATERIALIZED (
      SELECT * FROM (SELECT *, sum(cardinality(emails)) OVER (ROWS UNBOUNDED PRECEDING) AS looked_up FROM expired) e
       WHERE looked_up <= ${LOOKED_UP}
    ), in_contact AS MATERIALIZED (${IN_CONTACT}
    ), met AS MATERIALIZED (${MET})
    SELECT count(*) FILTER (WHERE ${IS_DUE} AND NOT is_held)::int AS due,
           count(*) FILTER (WHERE ${IS_DUE} AND is_held)::int AS held,
           count(*) <= ${limit} AND count(*) = (SELECT count(*) FROM expired) AS "isExact"
      FROM old`);
  return count!;
}

/**
 * Counts the submissions of forms whose own period ends in the next twelve months. They become due then, unless their
 * persons have come again; older ones that stay for such a contact, or under legal hold, are not counted.
 */
export const countAhead = (
  { sql: run }: Db,
  forms: readonly FormPeriod[],
  now: Date,
): Promise<MonthCount[]> =>
  run(sql`
    SELECT to_char((greatest(s.created_at, s.last_contact_at) + make_interval(months => form.months)) AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
           count(*)::int AS submissions
      FROM ${formTable(forms)}
      JOIN submissions s ON s.form_id = form.id AND ${isLead('s')}
       AND s.created_at >= ${now}::timestamptz - make_interval(months => form.months)
       AND s.created_at < ${now}::timestamptz - make_interval(months => form.months) + interval '1 year'
       AND coalesce(s.last_contact_at < ${now}::timestamptz - make_interval(months => form.months) + interval '1 year', true)
       AND s.legal_hold_at IS NULL
     GROUP BY 1 ORDER BY 1`);
