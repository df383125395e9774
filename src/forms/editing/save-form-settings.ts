import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import type { SpamFilter } from '../../generated/prisma/client.js';
import type { Outcome } from '../../lib/changes.js';

/** A form whose period replaces its team's; null: it follows the team's. */
type FormRetention = Readonly<{ formId: number; retentionMonths: number | null }>;

/** Saves the period of a team's form. Its versions are not affected. */
export async function saveFormRetention(
  tx: Transaction,
  teamId: number,
  { formId, retentionMonths }: FormRetention,
  actor: Actor,
): Promise<Outcome> {
  const stored = await tx.form.findUniqueOrThrow({
    where: { id: formId, teamId },
    select: { retentionMonths: true },
  });
  if (stored.retentionMonths === retentionMonths) return 'unchanged';
  await tx.form.update({ where: { id: formId }, data: { retentionMonths } });
  await recordAudit(tx, actor, {
    teamId,
    action: 'retention.changed',
    subject: ['form', formId],
    detail: { from: stored.retentionMonths, to: retentionMonths },
  });
  return 'updated';
}

/** Gives a form a filter of its own; null: that of its team. */
export async function saveFormFilter(
  tx: Transaction,
  { formId, filter }: Readonly<{ formId: number; filter: SpamFilter | null }>,
  actor: Actor,
): Promise<Outcome> {
  const { teamId, spamFilter } = await tx.form.findUniqueOrThrow({
    where: { id: formId },
    select: { teamId: true, spamFilter: true },
  });
  if (spamFilter === filter) return 'unchanged';
  await tx.form.update({ where: { id: formId }, data: { spamFilter: filter } });
  await recordAudit(tx, actor, {
    teamId,
    action: 'form.spam_filter_changed',
    subject: ['form', formId],
    detail: { filter },
  });
  return 'updated';
}
