import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Transaction } from '../../db/client.js';
import { jsonColumn } from '../../db/json-column.js';
import type { Placement } from '../../generated/prisma/client.js';
import { changes, type Outcome } from '../../lib/changes.js';
import { contentVersion } from '../../lib/crypto/content-version.js';
import type { RecipientRule } from '../recipients/recipient-rules.js';

/** The settings of a placement. */
export type PlacementSettings = Omit<Placement, 'websiteId' | 'teamId' | 'appearance' | 'recipientRules'> & {
  appearance: Record<string, string>;
  recipientRules: RecipientRule[];
};

/** Identifies the settings of a placement. */
export const placementVersion = (
  placement: Omit<PlacementSettings, 'formId' | 'appearance' | 'recipientRules'> &
    Readonly<{ appearance: unknown; recipientRules: unknown }>,
): string =>
  contentVersion([
    placement.enabled,
    placement.cssSelector,
    placement.injectionPosition,
    placement.htmlWrapper,
    placement.appearance,
    placement.confirmationMessage,
    placement.recipients,
    placement.recipientRules,
  ]);

type PlacementChange = { formId: number; outcome: Exclude<Outcome, 'unchanged'> | 'removed' };

/**
 * Creates or changes a placement. The caller has locked the website, so that other changes of the website's
 * placements wait.
 */
export async function savePlacement(
  tx: Transaction,
  website: { id: string; teamId: number },
  placement: PlacementSettings,
  actor: Actor,
): Promise<Outcome> {
  const key = { websiteId_formId: { websiteId: website.id, formId: placement.formId } };
  const before = await tx.placement.findUnique({ where: key });
  const row = { ...placement, recipientRules: jsonColumn(placement.recipientRules) };
  const changed = before ? changes(before, row) : row;
  if (!changed) return 'unchanged';
  if (before) await tx.placement.update({ where: key, data: changed });
  else await tx.placement.create({ data: { ...row, websiteId: website.id, teamId: website.teamId } });
  const outcome = before ? 'updated' : 'created';
  await recordPlacementAudit(tx, website, { formId: placement.formId, outcome }, actor);
  return outcome;
}

/** Removes a placement. @returns false when it did not exist. */
export async function removePlacement(
  tx: Transaction,
  website: { id: string; teamId: number },
  formId: number,
  actor: Actor,
): Promise<boolean> {
  const { count } = await tx.placement.deleteMany({ where: { websiteId: website.id, formId } });
  if (count > 0) await recordPlacementAudit(tx, website, { formId, outcome: 'removed' }, actor);
  return count > 0;
}

/**
 * Replaces the placements of a website: those that are not given are removed.
 *
 * @returns the changes; empty when there were none.
 */
export async function savePlacements(
  tx: Transaction,
  website: { id: string; teamId: number },
  placements: readonly PlacementSettings[],
  actor: Actor,
): Promise<PlacementChange[]> {
  const stored = await tx.placement.findMany({ where: { websiteId: website.id } });
  const done: PlacementChange[] = [];
  for (const { formId } of stored.filter(
    (placement) => !placements.some(({ formId }) => formId === placement.formId),
  )) {
    await removePlacement(tx, website, formId, actor);
    done.push({ formId, outcome: 'removed' });
  }
  for (const placement of placements) {
    const outcome = await savePlacement(tx, website, placement, actor);
    if (outcome !== 'unchanged') done.push({ formId: placement.formId, outcome });
  }
  return done;
}

const recordPlacementAudit = (
  tx: Transaction,
  website: { id: string; teamId: number },
  { formId, outcome }: PlacementChange,
  actor: Actor,
): Promise<void> =>
  recordAudit(tx, actor, {
    teamId: website.teamId,
    action: `form_link.${outcome}`,
    subject: ['website', website.id],
    detail: { formId },
  });
