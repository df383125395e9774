import type { Db } from '../../db/client.js';
import { genuine } from '../../db/stale-days.queries.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import { DAYS_IN_WEEK } from '../../lib/durations.js';
import type { AttentionScope } from '../attention-item.js';
import { dayOf } from './calendar.js';
import type { Habit } from './silence.js';

const { sql } = Prisma;

/** Weeks over which the leads a week are averaged. */
const WEEKS = 4;

/** Days of which each is weighed by its leads: a habit, and a long silence after it. */
const KNOWN_DAYS = 400;

/** The habit of a website, and since when its silence is known. */
type KnownHabit = Habit & Readonly<{ websiteId: string; teamId: number; silentAt: Date | null }>;

/**
 * Tells whether the past is still being counted, as after an upgrade from a version without counts: some day never was,
 * or the backfill has websites before it. Days that are counted anew, after a deletion for example, do not matter.
 */
export async function isPastUncounted(db: Db): Promise<boolean> {
  const [row] = await db.orm.$queryRaw<[{ isUncounted: boolean }]>`
    SELECT EXISTS (SELECT FROM daily_counts WHERE is_stale AND first_at IS NULL)
        OR EXISTS (SELECT FROM backfills WHERE name = 'daily_counts' AND passes = 0) AS "isUncounted"`;
  return row.isUncounted;
}

/** Reads the habits of the enabled websites of active teams; the hours as text, which takes a third of the time. */
export async function readHabits(
  db: Db,
  { teamIds, silentOnly }: AttentionScope & Readonly<{ silentOnly: boolean }>,
): Promise<KnownHabit[]> {
  const habits = await db.orm.$queryRaw<(Omit<KnownHabit, 'hours'> & { hours: string })[]>`
  SELECT h.website_id::text AS "websiteId", w.team_id AS "teamId", h.leads, h.first_at AS "firstAt",
         h.last_at AS "lastAt", h.weekdays, coalesce(h.weeks, '{}') AS weeks, array_to_json(coalesce(h.hours, '{}'))::text AS hours,
         h.silent_at AS "silentAt"
    FROM lead_habits h JOIN websites w ON w.id = h.website_id JOIN teams ON teams.id = w.team_id
   WHERE NOT w.disabled AND teams.active
     AND ${inTeams(teamIds, 'w.team_id')}
     AND ${silentOnly ? sql`h.silent_at IS NOT NULL` : sql`TRUE`}`;
  return habits.map((habit) => ({ ...habit, hours: JSON.parse(habit.hours) }));
}

/**
 * Reads since when websites are served again, of those that were disabled, or whose team was suspended, since their
 * last lead: their visitors could send none before.
 */
export async function readResumptions(
  db: Db,
  websites: readonly Pick<KnownHabit, 'websiteId' | 'lastAt'>[],
): Promise<Map<string, Date>> {
  const known = websites.map(({ websiteId, lastAt }) => ({ websiteId, lastAt: lastAt.toISOString() }));
  const rows = await db.orm.$queryRaw<{ websiteId: string; at: Date }[]>`
    SELECT w.id::text AS "websiteId", max(e.created_at) AS at
      FROM json_to_recordset(${JSON.stringify(known)}::json) AS known ("websiteId" uuid, "lastAt" timestamptz)
      JOIN websites w ON w.id = known."websiteId"
      JOIN audit_events e ON e.created_at > known."lastAt"
       AND (e.subject_type = 'website' AND e.subject_id = w.id::text AND e.action = 'website.updated'
              AND e.detail #> '{changed,disabled}' = 'false'
         OR e.subject_type = 'team' AND e.subject_id = w.team_id::text AND e.action = 'team.updated'
              AND e.detail #> '{changed,active}' = 'true')
     GROUP BY w.id`;
  return new Map(rows.map(({ websiteId, at }) => [websiteId, at]));
}

/** What the whole installation has had: leads in each hour of the week, on each day, and a week of late. */
export type Pace = Readonly<{
  hours: readonly number[];
  /** By the day since 1970. */
  days: ReadonlyMap<number, number>;
  leadsPerWeek: number;
}>;

/** Reads the pace of the whole installation. Spam has one of its own. */
export async function readPace(db: Db, now: Date): Promise<Pace> {
  const [hours, totals] = await Promise.all([
    db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } }),
    db.orm.$queryRaw<{ day: number; leads: number }[]>`
      SELECT day - '1970-01-01'::date AS day, sum(${genuine('c')})::int AS leads
        FROM daily_counts c
       WHERE day > (${now}::timestamptz AT TIME ZONE 'UTC')::date - ${KNOWN_DAYS}::int GROUP BY 1`,
  ]);
  const late = totals.filter(({ day }) => day > dayOf(now) - WEEKS * DAYS_IN_WEEK);
  return {
    hours: hours.map(({ leads }) => leads),
    days: new Map(totals.map(({ day, leads }) => [day, leads])),
    leadsPerWeek: late.reduce((sum, { leads }) => sum + leads, 0) / WEEKS,
  };
}

/** Marks websites as silent, unless a lead has come since their habits were read. */
export async function markSilent(db: Db, habits: readonly KnownHabit[], now: Date): Promise<void> {
  const found = habits.map(({ websiteId, lastAt }) => ({ websiteId, lastAt: lastAt.toISOString() }));
  await db.orm.$executeRaw`
    UPDATE lead_habits h SET silent_at = ${now}
      FROM json_to_recordset(${JSON.stringify(found)}::json) AS found ("websiteId" uuid, "lastAt" timestamptz)
     WHERE h.website_id = found."websiteId" AND h.silent_at IS NULL
       AND h.last_at < found."lastAt" + interval '1 millisecond'`;
}

/**
 * Forgets the silence of websites that are disabled, or whose team is suspended: it begins anew when they are served
 * again.
 */
export async function forgetUnserved(db: Db): Promise<void> {
  await db.orm.$executeRaw`
    UPDATE lead_habits h SET silent_at = NULL
      FROM websites w JOIN teams ON teams.id = w.team_id
     WHERE w.id = h.website_id AND h.silent_at IS NOT NULL AND (w.disabled OR NOT teams.active)`;
}
