import { type Actor, recordAudit } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import type { Plan } from '../generated/prisma/client.js';
import { changes, type Outcome, valuesBefore } from '../lib/changes.js';
import { deleteOutgrownNotices } from './quota.queries.js';

export type PlanSettings = Partial<Omit<Plan, 'id' | 'code'>>;

/** Creates a plan; limits that are left out take the defaults of the database model. */
export async function createPlan(
  tx: Transaction,
  plan: PlanSettings & Pick<Plan, 'code' | 'name'>,
  actor: Actor,
): Promise<Plan> {
  const row = await tx.plan.create({ data: plan });
  const { id, ...values } = row;
  await recordAudit(tx, actor, {
    teamId: null,
    action: 'plan.created',
    subject: ['plan', id],
    detail: values,
  });
  return row;
}

/** Updates the given settings of a plan that differ. */
export async function updatePlan(
  tx: Transaction,
  stored: Plan,
  settings: PlanSettings,
  actor: Actor,
): Promise<Outcome> {
  const changed = changes(stored, settings);
  if (!changed) return 'unchanged';
  await tx.plan.update({ where: { id: stored.id }, data: changed });
  if ('notificationsPerMonth' in changed) await deleteOutgrownNotices(tx, { planId: stored.id });
  await recordAudit(tx, actor, {
    teamId: null,
    action: 'plan.updated',
    subject: ['plan', stored.id],
    detail: { code: stored.code, before: valuesBefore(stored, changed), changed },
  });
  return 'updated';
}
