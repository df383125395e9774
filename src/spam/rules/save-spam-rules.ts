import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import type { SpamRuleKind } from '../../generated/prisma/client.js';
import type { Outcome } from '../../lib/changes.js';

/** Replaces the rules of a kind that a team has. Those that stay keep their ids. */
export async function replaceSpamRules(
  tx: Transaction,
  { teamId, kind, values }: Readonly<{ teamId: number; kind: SpamRuleKind; values: readonly string[] }>,
  actor: Actor,
): Promise<Outcome> {
  const stored = await tx.spamRule.findMany({ where: { teamId, kind }, select: { id: true, value: true } });
  const dropped = stored.filter(({ value }) => !values.includes(value));
  const added = values.filter((wanted) => !stored.some(({ value }) => value === wanted));
  await tx.spamRule.deleteMany({ where: { id: { in: dropped.map(({ id }) => id) } } });
  for (const { id } of dropped) {
    await recordAudit(tx, actor, {
      teamId,
      action: 'spam_rule.deleted',
      subject: ['spam_rule', id],
      detail: { kind },
    });
  }
  for (const value of added) {
    const { id } = await tx.spamRule.create({ data: { teamId, kind, value, createdById: actor.userId } });
    await recordAudit(tx, actor, {
      teamId,
      action: 'spam_rule.added',
      subject: ['spam_rule', id],
      detail: { kind },
    });
  }
  return dropped.length + added.length > 0 ? 'updated' : 'unchanged';
}

/** Counts the rules of a team. */
export const countSpamRules = (tx: Transaction, teamId: number): Promise<number> =>
  tx.spamRule.count({ where: { teamId } });
