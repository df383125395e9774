import type { Actor } from '../audit/audit.js';
import { type Database, isUniqueViolation } from '../db/client.js';
import { conflict, notFound } from '../errors.js';
import type { Plan } from '../generated/prisma/client.js';
import { createPlan, type PlanSettings, updatePlan } from './plans.js';

export type Plans = ReturnType<typeof createPlans>;

/** Plans, as staff manage them. */
export function createPlans({ db }: { db: Database }) {
  return {
    /** Every plan, by its code. */
    list: (): Promise<Plan[]> => db.plan.findMany({ orderBy: { code: 'asc' } }),

    /** Plans in the order of the ids; null for what is not there. */
    async byIds(ids: readonly number[]): Promise<(Plan | null)[]> {
      const rows = await db.plan.findMany({ where: { id: { in: [...ids] } } });
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    },

    /** @throws 409 when there is a plan of this code. */
    create: (plan: PlanSettings & Pick<Plan, 'code' | 'name'>, actor: Actor): Promise<Plan> =>
      db
        .$transaction((tx) => createPlan(tx, plan, actor))
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('There already is a plan of this code.') : error;
        }),

    /** @throws 404. */
    update: (id: number, settings: PlanSettings, actor: Actor): Promise<Plan> =>
      db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM plans WHERE id = ${id} FOR UPDATE`;
        const stored = await tx.plan.findUnique({ where: { id } });
        if (!stored) throw notFound('Plan not found.');
        await updatePlan(tx, stored, settings, actor);
        return { ...stored, ...settings };
      }),
  };
}
