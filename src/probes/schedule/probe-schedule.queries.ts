import type { Db } from '../../db/client.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import { HOUR_MS } from '../../lib/durations.js';
import { HAS_ENDED } from '../probe-days.queries.js';
import type { ProbedWebsite } from '../run-probe.js';

const { raw, sql } = Prisma;

/** Hours between the first sight of a website and its first daily probe, so that it can be installed meanwhile. */
const GRACE_H = 1;

/**
 * Lease on a daily probe in seconds: longer than any probe runs, and what a killed worker began is due again after it.
 */
const PROBE_LEASE_S = 300;

/** Hours within which some website has been probed while workers probe: a day, and how long a new website waits. */
const USUAL_H = 26;

/** Selects the first time after a moment at which a website `w` is probed: a second of the day, in UTC, by its id. */
function slotAfter(moment: Prisma.Sql): Prisma.Sql {
  const second = raw("(('x' || left(md5(w.id::text), 8))::bit(32)::bigint % 86400)::float8");
  const today = sql`date_trunc('day', ${moment}, 'UTC') + make_interval(secs => ${second})`;
  return sql`CASE WHEN ${today} > ${moment} THEN ${today} ELSE ${today} + interval '1 day' END`;
}

/**
 * Schedules the websites that have no daily probe yet.
 *
 * The time of day derives from the id, so that the probes of many websites are spread over the day.
 */
export async function scheduleNewWebsites(db: Db, now: Date): Promise<void> {
  const earliest = sql`(${now}::timestamptz + make_interval(hours => ${GRACE_H}::int))`;
  await db.orm.$executeRaw`
    INSERT INTO scheduled_probes (website_id, due_at)
    SELECT w.id, ${slotAfter(earliest)}
      FROM websites w LEFT JOIN scheduled_probes p ON p.website_id = w.id
     WHERE p.website_id IS NULL
    ON CONFLICT DO NOTHING`;
}

/** The enabled websites of active teams whose daily probe is due. */
const dueAt = (now: Date) => sql`
        FROM scheduled_probes p
        JOIN websites w ON w.id = p.website_id AND NOT w.disabled
        JOIN teams t ON t.id = w.team_id AND t.active
       WHERE p.due_at <= ${now}::timestamptz`;

/**
 * Finds websites whose daily probe is due: first the one of each team that has been due longest, then the next one of
 * each, so that a team of very many websites delays no other. It reads what is due, once for a run.
 */
export async function findDueWebsites(db: Db, now: Date, limit: number): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT website_id::text AS id
      FROM (SELECT p.website_id, p.due_at, row_number() OVER (PARTITION BY w.team_id ORDER BY p.due_at) AS turn
        ${dueAt(now)}) due
     ORDER BY turn, due_at LIMIT ${limit}::int`;
  return rows.map(({ id }) => id);
}

/** Claims a website whose daily probe is due; null when another worker has it, or it is due no longer. */
export async function takeDueWebsite(db: Db, id: string, now: Date): Promise<ProbedWebsite | null> {
  const [website] = await db.orm.$queryRaw<ProbedWebsite[]>`
    WITH due AS MATERIALIZED (
      SELECT p.website_id, w.url, w.host ${dueAt(now)} AND p.website_id = ${id}::uuid
         FOR UPDATE OF p SKIP LOCKED
    )
    UPDATE scheduled_probes p SET due_at = ${now}::timestamptz + make_interval(secs => ${PROBE_LEASE_S})
      FROM due WHERE p.website_id = due.website_id
    RETURNING p.website_id::text AS id, due.url, due.host`;
  return website ?? null;
}

/** Makes the daily probe of a website due at its time of the next day. */
export async function finishDailyProbe(db: Db, websiteId: string, now: Date): Promise<void> {
  await db.orm.$executeRaw`
    UPDATE scheduled_probes p SET due_at = ${slotAfter(sql`${now}::timestamptz`)}
      FROM websites w WHERE w.id = p.website_id AND p.website_id = ${websiteId}::uuid`;
}

/** Tells whether probes of some teams, or of all, are due although none has ended for more than a day. */
export async function areProbesLate(db: Db, teamIds: readonly number[] | null, now: Date): Promise<boolean> {
  const ofTeams = inTeams(teamIds, 'w.team_id');
  const since = new Date(now.getTime() - USUAL_H * HOUR_MS);
  const [{ isLate }] = await db.orm.$queryRaw<[{ isLate: boolean }]>`
    SELECT EXISTS (
             SELECT FROM scheduled_probes p JOIN websites w ON w.id = p.website_id AND NOT w.disabled
               JOIN teams t ON t.id = w.team_id AND t.active
              WHERE p.due_at <= ${now}::timestamptz + make_interval(secs => ${PROBE_LEASE_S})
                AND w.created_at < ${since} AND ${ofTeams})
       AND NOT EXISTS (
             SELECT FROM probes p JOIN websites w ON w.id = p.website_id
              WHERE p.started_at >= ${since} AND p.ok IS NOT NULL AND ${HAS_ENDED} AND ${ofTeams}) AS "isLate"`;
  return isLate;
}
