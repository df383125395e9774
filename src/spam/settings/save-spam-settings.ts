import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import type { SpamFilter } from '../../generated/prisma/client.js';
import { changes, given, type Outcome } from '../../lib/changes.js';

/** What a team can set about spam; days null: it is never deleted. */
export type SpamChanges = Readonly<{ filter?: SpamFilter; threshold?: number; keptDays?: number | null }>;

/** Changes those of a team's settings that are given, and differ. */
export async function saveSpamSettings(
  tx: Transaction,
  teamId: number,
  wanted: SpamChanges,
  actor: Actor,
): Promise<Outcome> {
  const { spamFilter, spamThreshold, spamKeptDays } = await tx.team.findUniqueOrThrow({
    where: { id: teamId },
  });
  const stored = { filter: spamFilter, threshold: spamThreshold, keptDays: spamKeptDays };
  const detail = changes(stored, given(wanted));
  if (!detail) return 'unchanged';
  const data = {
    spamFilter: detail.filter,
    spamThreshold: detail.threshold,
    spamKeptDays: detail.keptDays,
  };
  await tx.team.update({ where: { id: teamId }, data });
  await recordAudit(tx, actor, {
    teamId,
    action: 'team.spam_settings_changed',
    subject: ['team', teamId],
    detail,
  });
  return 'updated';
}
