import type { Db } from '../../db/client.js';
import type { AttentionItem, AttentionScope, AttentionSource } from '../attention-item.js';

/** Forms that visitors see: active, and enabled on an enabled website of an active team. */
const seen = ({ teamIds }: AttentionScope) => ({
  active: true,
  team: { active: true },
  placements: { some: { enabled: true, website: { disabled: false } } },
  ...(teamIds && { teamId: { in: [...teamIds] } }),
});

const commonOf = ({ teamId, formId, since }: { teamId: number; formId: number; since: Date }) =>
  ({ severity: 'NOTICE', since, teamId, websiteId: null, formId, subject: null }) as const;

function readFindings(db: Db, scope: AttentionScope) {
  return db.orm.formFindings.findMany({
    where: {
      OR: [{ missingTexts: { gt: 0 } }, { unenforcedFields: { isEmpty: false } }],
      form: seen(scope),
    },
    include: { form: { select: { teamId: true, updatedAt: true } } },
  });
}

/** Forms with texts that visitors read in another language, and with patterns that no submission is checked with. */
export const formsSource: AttentionSource = {
  kinds: ['TRANSLATIONS_MISSING', 'PATTERN_NOT_ENFORCED'],
  async read(db, { teamIds }) {
    const found = await readFindings(db, { teamIds });
    return found.flatMap(({ formId, form, missingTexts, missingLocales, unenforcedFields }) => {
      const common = commonOf({ teamId: form.teamId, formId, since: form.updatedAt });
      const items: AttentionItem[] = [];
      if (missingTexts > 0) {
        const facts = { count: missingTexts, locales: missingLocales.join(', ') };
        items.push({ ...common, kind: 'TRANSLATIONS_MISSING', action: 'OPEN_TRANSLATIONS', facts });
      }
      if (unenforcedFields.length > 0) {
        const facts = { fields: unenforcedFields.join(', ') };
        items.push({ ...common, kind: 'PATTERN_NOT_ENFORCED', action: 'OPEN_FIELDS', facts });
      }
      return items;
    });
  },
};
