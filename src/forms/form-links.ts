import { type Actor, recordAudit } from '../accounts/audit.js';
import type { FormLink } from '../generated/prisma/client.js';
import { changes, type Outcome } from '../lib/changes.js';
import type { Transaction } from '../lib/prisma.js';

/** A form on a website, with the settings that belong to the pair. */
export type FormLinkSettings = Omit<FormLink, 'websiteId' | 'teamId' | 'appearance'> & {
  appearance: Record<string, string>;
};

export type FormLinkChange = { formId: number; outcome: Exclude<Outcome, 'unchanged'> | 'removed' };

/**
 * Makes these the forms of a website: links that are not among them go.
 *
 * @returns what changed; empty when nothing did.
 */
export async function saveFormLinks(
  tx: Transaction,
  website: { id: string; teamId: number },
  links: readonly FormLinkSettings[],
  actor: Actor,
): Promise<FormLinkChange[]> {
  const stored = await tx.formLink.findMany({ where: { websiteId: website.id } });
  const done: FormLinkChange[] = [];
  for (const { formId } of stored.filter((link) => !links.some(({ formId }) => formId === link.formId))) {
    await tx.formLink.delete({ where: { websiteId_formId: { websiteId: website.id, formId } } });
    done.push({ formId, outcome: 'removed' });
  }
  for (const link of links) {
    const before = stored.find(({ formId }) => formId === link.formId);
    if (!before) {
      await tx.formLink.create({ data: { ...link, websiteId: website.id, teamId: website.teamId } });
      done.push({ formId: link.formId, outcome: 'created' });
      continue;
    }
    const changed = changes(before, link);
    if (!changed) continue;
    await tx.formLink.update({
      where: { websiteId_formId: { websiteId: website.id, formId: link.formId } },
      data: changed,
    });
    done.push({ formId: link.formId, outcome: 'updated' });
  }
  for (const { formId, outcome } of done) {
    await recordAudit(tx, actor, {
      teamId: website.teamId,
      action: `form_link.${outcome}`,
      subject: ['website', website.id],
      detail: { formId },
    });
  }
  return done;
}
