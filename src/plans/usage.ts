import type { Db } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import { groupsOf } from '../lib/group-by.js';
import { quotaMonth } from './quota.queries.js';
import { type MonthlyUsage, readUsage } from './usage.queries.js';

export type Usage = ReturnType<typeof createUsage>;

/** Reads the usage that teams make of their plans. */
export function createUsage({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Reads how many notifications of the current month count against the plan of each team. */
    async ofThisMonth(teamIds: readonly number[]): Promise<number[]> {
      const rows = await db.orm.quotaUsage.findMany({
        where: { teamId: { in: [...teamIds] }, month: quotaMonth(clock()) },
      });
      const used = new Map(rows.map((row) => [row.teamId, row.used]));
      return teamIds.map((id) => used.get(id) ?? 0);
    },

    /** Reads the usage of each team in the last twelve months, the current month first. */
    async months(teamIds: readonly number[]): Promise<MonthlyUsage[][]> {
      const now = clock();
      const rows = await readUsage(db, teamIds, { month: quotaMonth(now), now });
      return groupsOf(teamIds, rows, ({ teamId }) => teamId).map((months) =>
        months.map(({ month, submissions, notificationsUsed, held }) => ({
          month,
          submissions,
          notificationsUsed,
          held,
        })),
      );
    },
  };
}
