import type { Db } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import { quotaMonth } from './quota.js';
import { type MonthlyUsage, readUsage } from './usage.queries.js';

export type Usage = ReturnType<typeof createUsage>;

/** Reads the usage that teams make of their plans. */
export function createUsage({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Reads the usage of each team in the last twelve months, the current month first. */
    async months(teamIds: readonly number[]): Promise<MonthlyUsage[][]> {
      const rows = await readUsage(db, teamIds, quotaMonth(clock()));
      return teamIds.map((id) =>
        rows
          .filter(({ teamId }) => teamId === id)
          .map(({ month, submissions, notificationsUsed }) => ({ month, submissions, notificationsUsed })),
      );
    },
  };
}
