import { type Actor, recordAudit } from '../audit/audit.js';
import type { Transaction } from '../db/client.js';
import type { Team } from '../generated/prisma/client.js';
import { changes, type Outcome, valuesBefore } from '../lib/changes.js';
import { deleteOutgrownNotices } from '../plans/quota.queries.js';

export type TeamSettings = Partial<Pick<Team, 'name' | 'active' | 'planId' | 'retentionMonths'>>;

/** Creates a team, without members. */
export async function createTeam(
  tx: Transaction,
  team: TeamSettings & Pick<Team, 'slug' | 'name' | 'planId'>,
  actor: Actor,
): Promise<Team> {
  const row = await tx.team.create({ data: team });
  await recordAudit(tx, actor, {
    teamId: row.id,
    action: 'team.created',
    subject: ['team', row.id],
    detail: { slug: row.slug },
  });
  return row;
}

/** Names the plans of a change; null when it is not one of the plan. */
async function plansOf(tx: Transaction, { planId: from }: Team, { planId: to }: TeamSettings) {
  if (to === undefined) return null;
  const plans = await tx.plan.findMany({
    where: { id: { in: [from, to] } },
    select: { id: true, name: true },
  });
  const nameOf = (wanted: number) => plans.find(({ id }) => id === wanted)?.name ?? null;
  return { from: nameOf(from), to: nameOf(to) };
}

/** Updates the given settings of a team that differ. */
export async function updateTeam(
  tx: Transaction,
  stored: Team,
  settings: TeamSettings,
  actor: Actor,
): Promise<Outcome> {
  const changed = changes(stored, settings);
  if (!changed) return 'unchanged';
  const plan = await plansOf(tx, stored, changed);
  await tx.team.update({ where: { id: stored.id }, data: changed });
  if (plan) await deleteOutgrownNotices(tx, { teamId: stored.id });
  await recordAudit(tx, actor, {
    teamId: stored.id,
    action: 'team.updated',
    subject: ['team', stored.id],
    detail: { before: valuesBefore(stored, changed), changed, ...(plan && { plan }) },
  });
  return 'updated';
}
