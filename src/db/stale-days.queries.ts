import { Prisma } from '../generated/prisma/client.js';
import type { Transaction } from './client.js';
import { isLead } from './leads.queries.js';

/** Marks days to be counted anew: those of the submissions `s` on websites `w` that a condition selects. */
export async function markDaysWhere(tx: Transaction, condition: Prisma.Sql): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO daily_counts (website_id, day, form_id)
    SELECT DISTINCT s.website_id, (s.created_at AT TIME ZONE w.time_zone)::date, s.form_id
      FROM submissions s JOIN websites w ON w.id = s.website_id
     WHERE ${condition} AND ${isLead('s')}
     ORDER BY 1, 2, 3
    ON CONFLICT (website_id, day, form_id) DO UPDATE SET is_stale = true`;
}

/** Marks the days of submissions to be counted anew. */
export const markDaysOf = (tx: Transaction, submissionIds: readonly string[]): Promise<void> =>
  markDaysWhere(tx, Prisma.sql`s.id = ANY (${[...submissionIds]}::uuid[])`);
