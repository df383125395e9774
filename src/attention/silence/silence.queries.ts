import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';
import type { Habit } from './silence.js';

const { sql } = Prisma;

/** Weeks over which the leads a week are averaged. */
const WEEKS = 4;

const DAYS_IN_WEEK = 7;

/** The habit of a website, and since when its silence is known. */
export type KnownHabit = Habit & Readonly<{ websiteId: string; teamId: number; silentAt: Date | null }>;

/** Reads the habits of the enabled websites of active teams. */
export const readHabits = (
  db: Db,
  { teamIds, silentOnly }: AttentionScope & Readonly<{ silentOnly: boolean }>,
): Promise<KnownHabit[]> => db.orm.$queryRaw`
  SELECT h.website_id::text AS "websiteId", w.team_id AS "teamId", h.leads, h.first_at AS "firstAt",
         h.last_at AS "lastAt", h.silent_at AS "silentAt"
    FROM lead_habits h JOIN websites w ON w.id = h.website_id JOIN teams ON teams.id = w.team_id
   WHERE NOT w.disabled AND teams.active
     AND ${teamIds ? sql`w.team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`}
     AND ${silentOnly ? sql`h.silent_at IS NOT NULL` : sql`TRUE`}`;

/** Reads the leads in each hour of the week, and how many came a week of late. */
export async function readPace(db: Db, now: Date): Promise<{ hours: number[]; leadsPerWeek: number }> {
  const [hours, [late]] = await Promise.all([
    db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } }),
    db.orm.$queryRaw<[{ leads: number }]>`
      SELECT coalesce(sum(stored + deleted), 0)::int AS leads FROM daily_counts
       WHERE day > ${now}::timestamptz::date - ${WEEKS * DAYS_IN_WEEK}::int`,
  ]);
  return { hours: hours.map(({ leads }) => leads), leadsPerWeek: late.leads / WEEKS };
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
