import type { Transaction } from '../../db/client.js';
import { FORM_INCLUDE, type StoredForm } from '../definition/form.mapper.js';

/** Reads a form and locks its row, so that concurrent changes wait until the transaction ends. */
export async function lockForm(
  tx: Transaction,
  { teamId, slug }: { teamId: number; slug: string },
): Promise<StoredForm | null> {
  await tx.$queryRaw`SELECT 1 FROM forms WHERE team_id = ${teamId} AND slug = ${slug} FOR NO KEY UPDATE`;
  return tx.form.findUnique({ where: { teamId_slug: { teamId, slug } }, include: FORM_INCLUDE });
}
