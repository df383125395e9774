import type { Backfill } from '../../db/backfill/backfill.js';
import { FORM_INCLUDE, formContent } from '../definition/form.mapper.js';
import { keepVersion, listUnkept } from './form-versions.queries.js';

/** Forms of one portion, each with up to 200 fields. */
const PORTION = 50;

/**
 * Keeps the present version of the forms that were saved before versions were kept. One that is saved while it is read
 * is left out: its new version is kept with the save, or by the second pass.
 */
export const formVersions: Backfill = {
  name: 'form_versions',
  table: 'forms',
  async rewrite(tx, after, limit) {
    const unkept = await listUnkept(tx, Number(after ?? 0), Math.min(limit, PORTION));
    for (const { id } of unkept) {
      const form = await tx.form.findUnique({ where: { id }, include: FORM_INCLUDE });
      if (form) await keepVersion(tx, { formId: id, version: form.version }, formContent(form));
    }
    const last = unkept.at(-1);
    return last ? { last: String(last.id), rows: unkept.length } : null;
  },
};
