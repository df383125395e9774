import { z } from 'zod';
import type { Db } from '../../db/client.js';
import { isForeignKeyViolation } from '../../db/database-errors.js';
import { RUN_FOR_MS } from '../../db/portions.js';
import { FORM_INCLUDE, formContent } from '../../forms/definition/form.mapper.js';
import { missingTranslations } from '../../forms/definition/missing-translations.js';
import { readPatterns } from '../../forms/definition/patterns.js';
import type { Clock } from '../../lib/clock.js';
import { defineJob } from '../../queue/define-job.js';
import { findUnexamined } from './form-findings.queries.js';

/** Job that examines the forms that were saved. */
export const examineFormsJob = defineJob('examine-forms', z.object({}));

/** Forms that are looked up at once. */
const PORTION = 50;

/** Examines each version of a form once, so that a list over all forms reads a row for each. */
export function createFormFindings({ db, clock }: { db: Db; clock: Clock }) {
  async function examine(id: number): Promise<void> {
    const form = await db.orm.form.findUnique({ where: { id }, include: FORM_INCLUDE });
    if (!form) return;
    const content = formContent(form);
    const missing = missingTranslations(content, null);
    const { faults } = await readPatterns(content.fields);
    const findings = {
      version: form.version,
      missingTexts: missing.reduce((sum, { texts }) => sum + texts.length, 0),
      missingLocales: missing.map(({ locale }) => locale),
      unenforcedFields: [...new Set(faults.map(({ field }) => field))],
      examinedAt: clock(),
    };
    await db.orm.formFindings.upsert({
      where: { formId: id },
      create: { formId: id, ...findings },
      update: findings,
    });
  }

  return {
    /** Examines the forms whose version is new. */
    async run(): Promise<void> {
      const endsAt = performance.now() + RUN_FOR_MS;
      for (;;) {
        const ids = await findUnexamined(db, PORTION);
        for (const id of ids) {
          await examine(id).catch((error: unknown) => {
            // The form was deleted meanwhile.
            if (!isForeignKeyViolation(error)) throw error;
          });
          if (performance.now() > endsAt) return;
        }
        if (ids.length < PORTION) return;
      }
    },
  };
}
