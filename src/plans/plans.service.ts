import type { Actor } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { lockRow } from '../db/row-lock.js';
import { conflict, planNotFound } from '../errors.js';
import type { Plan } from '../generated/prisma/client.js';
import { inOrderOf } from '../lib/group-by.js';
import { createPlan, type PlanSettings, updatePlan } from './plans.js';

export type Plans = ReturnType<typeof createPlans>;

/** Manages plans for staff. */
export function createPlans({ db }: { db: Db }) {
  return {
    /** Lists all plans, sorted by code. */
    list: (): Promise<Plan[]> => db.orm.plan.findMany({ orderBy: { code: 'asc' } }),

    /** Reads plans in the order of the ids; null for a missing plan. */
    async byIds(ids: readonly number[]): Promise<(Plan | null)[]> {
      const rows = await db.orm.plan.findMany({ where: { id: { in: [...ids] } } });
      return inOrderOf(ids, rows);
    },

    /** Counts the teams that have each plan. */
    async teamCounts(ids: readonly number[]): Promise<number[]> {
      const rows = await db.orm.team.groupBy({
        by: ['planId'],
        where: { planId: { in: [...ids] } },
        _count: true,
      });
      const counts = new Map(rows.map(({ planId, _count }) => [planId, _count]));
      return ids.map((id) => counts.get(id) ?? 0);
    },

    /** Creates a plan. @throws 409 when a plan has this code. */
    create: (plan: PlanSettings & Pick<Plan, 'code' | 'name'>, actor: Actor): Promise<Plan> =>
      db.orm
        .$transaction((tx) => createPlan(tx, plan, actor))
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('There already is a plan of this code.') : error;
        }),

    /** Updates a plan. @throws 404 when there is no such plan. */
    update: (id: number, settings: PlanSettings, actor: Actor): Promise<Plan> =>
      db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'plans', id);
        const stored = await tx.plan.findUnique({ where: { id } });
        if (!stored) throw planNotFound();
        await updatePlan(tx, stored, settings, actor);
        return { ...stored, ...settings };
      }),
  };
}
