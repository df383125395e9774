import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { isForeignKeyViolation, isUniqueViolation } from '../../db/database-errors.js';
import { listByName, type NamedFilter, type NamedPage } from '../../db/named-list.js';
import type { Page } from '../../db/paging.js';
import { lockRow } from '../../db/row-lock.js';
import type { Form, FormTranslation } from '../../generated/prisma/client.js';
import { groupsOf, inOrderOf } from '../../lib/group-by.js';
import { recordFormChange } from '../../webhooks/outbox.queries.js';
import { FORM_INCLUDE, type FormContent, formContent, storedRules } from '../definition/form.mapper.js';
import { type MissingTranslations, missingTranslations } from '../definition/missing-translations.js';
import { type FormPatterns, type PatternFault, readPatterns } from '../definition/patterns.js';
import type { RecipientRule } from '../recipients/recipient-rules.js';
import { createFormContents, type ReadPlan } from './form-contents.js';
import { lockForm } from './forms.queries.js';
import { saveForm } from './save-form.js';
import { saveFormFilter, saveFormRetention } from './save-form-settings.js';

/**
 * Maximum forms of a team that the panel creates: several times what an agency of hundreds of websites has, since a
 * form may be on many. A provision document may have more, because an operator writes it.
 */
export const MAX_FORMS = 1_000;

/**
 * Outcome of creating a form. `not_found`: its team or the form to duplicate no longer exists. `too_many`: the team has
 * `MAX_FORMS`.
 */
export type CreatedForm = { form: Form } | 'slug_taken' | 'not_found' | 'too_many';

/** Outcome of saving a form. `moved_on`: another request has saved a newer version meanwhile. */
export type SavedForm = { form: Form } | 'moved_on' | 'not_found';

/** Timeout of a save: a form with hundreds of fields and their options takes that many statements. */
const SAVE_TIMEOUT_MS = 30_000;

/** A form that lacks translations. */
export type IncompleteForm = Readonly<{ form: Form; missing: MissingTranslations[] }>;

/** What forms are to be complete in; null: the languages that each offers. They may lack so many texts together. */
type Completeness = Readonly<{ locales: readonly string[] | null; maxTexts: number }>;

/** Settings of a form beside its content; null: that of its team. */
type Settings = Pick<Form, 'retentionMonths' | 'spamFilter'>;

export type ManagedForms = ReturnType<typeof createManagedForms>;

/** Manages forms for the teams that run the websites. */
export function createManagedForms({ db }: { db: Db }) {
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    db.orm.$transaction(work, { timeout: SAVE_TIMEOUT_MS });

  async function findMany(ids: readonly number[]): Promise<(Form | null)[]> {
    const rows = await db.orm.form.findMany({ where: { id: { in: [...ids] } } });
    return inOrderOf(ids, rows);
  }

  const contents = createFormContents({ db });

  async function contentsOf(
    ids: readonly number[],
    maxRows = Number.POSITIVE_INFINITY,
  ): Promise<(FormContent | null)[] | 'too_large'> {
    const plan = await contents.plan(ids);
    return plan.rows > maxRows ? 'too_large' : readContents(ids, plan);
  }

  async function readContents(ids: readonly number[], plan: ReadPlan): Promise<(FormContent | null)[]> {
    const found = new Map<number, FormContent>();
    for await (const portion of contents.inPortions(plan)) {
      for (const { form, content } of portion) found.set(form.id, content);
    }
    return ids.map((id) => found.get(id) ?? null);
  }

  /** Lists the forms' translations of their own texts, in the order of the ids. */
  async function translationsOf(ids: readonly number[]): Promise<FormTranslation[][]> {
    const rows = await db.orm.formTranslation.findMany({ where: { formId: { in: [...ids] } } });
    return groupsOf(ids, rows, ({ formId }) => formId);
  }

  /** Finds the missing translations of forms that have any, in the order of the ids. */
  async function findIncomplete(
    ids: readonly number[],
    { locales, maxTexts }: Completeness,
  ): Promise<IncompleteForm[] | 'too_large'> {
    const incomplete: IncompleteForm[] = [];
    let texts = 0;
    for await (const portion of contents.inPortions(await contents.plan(ids))) {
      for (const { form, content } of portion) {
        const missing = missingTranslations(content, locales);
        if (missing.length > 0) incomplete.push({ form, missing });
        texts += missing.reduce((sum, ofLocale) => sum + ofLocale.texts.length, 0);
        if (texts > maxTexts) return 'too_large';
      }
    }
    return incomplete;
  }

  async function create(
    teamId: number,
    content: FormContent,
    actor: Actor,
    { retentionMonths, spamFilter }: Settings = { retentionMonths: null, spamFilter: null },
  ): Promise<CreatedForm> {
    try {
      return await inTransaction(async (tx) => {
        await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
        if ((await tx.form.count({ where: { teamId } })) >= MAX_FORMS) return 'too_many';
        const { id } = await saveForm(tx, { teamId, stored: null, content }, actor);
        if (retentionMonths !== null)
          await saveFormRetention(tx, teamId, { formId: id, retentionMonths }, actor);
        if (spamFilter !== null) await saveFormFilter(tx, { formId: id, filter: spamFilter }, actor);
        return { form: await tx.form.findUniqueOrThrow({ where: { id } }) };
      });
    } catch (error) {
      if (isForeignKeyViolation(error)) return 'not_found';
      if (isUniqueViolation(error)) return 'slug_taken';
      throw error;
    }
  }

  return {
    find: (id: number): Promise<Form | null> => db.orm.form.findUnique({ where: { id } }),

    /** Finds forms by their ids, in the same order. */
    findMany,

    /** Lists a page of the forms that match a filter, sorted by name and then by id. */
    list: (filter: NamedFilter, page: Page): Promise<NamedPage<number, Form>> =>
      listByName(db, 'forms', filter, page, findMany),

    /**
     * Reads forms with their fields and translations, in the order of the ids.
     *
     * @returns `too_large` when they have more rows together: fields, options and translations.
     */
    contentsOf,

    translationsOf,

    /** Lists the recipients by answer of forms, in the order of the ids; null for a form that there is no longer. */
    recipientRulesOf: async (ids: readonly number[]): Promise<(RecipientRule[] | null)[]> =>
      (await findMany(ids)).map((form) => form && storedRules(form.recipientRules)),

    /** Reads a form as it was last saved, with its compiled patterns. */
    async storedDraft(id: number): Promise<{ content: FormContent; patterns: FormPatterns } | null> {
      const [content] = await readContents([id], await contents.plan([id]));
      return content ? { content, patterns: await readPatterns(content.fields) } : null;
    },

    /** Lists the patterns of forms that the gateway does not enforce, in the order of the ids. */
    async patternFaultsOf(ids: readonly number[]): Promise<(readonly PatternFault[])[]> {
      const faultsOf = new Map<number, readonly PatternFault[]>();
      for await (const portion of contents.inPortions(await contents.plan(ids))) {
        // Compile one form's patterns at a time: they may take long, and other requests have their turn in between.
        for (const { form, content } of portion) {
          faultsOf.set(form.id, (await readPatterns(content.fields)).faults);
        }
      }
      return ids.map((id) => faultsOf.get(id) ?? []);
    },

    /**
     * Lists what forms lack, in the order of the ids.
     *
     * @returns `too_large` when they lack more texts together.
     */
    async missingTranslationsOf(
      ids: readonly number[],
      completeness: Completeness,
    ): Promise<MissingTranslations[][] | 'too_large'> {
      const offered = completeness.locales ? null : await translationsOf(ids);
      const candidates = offered ? ids.filter((_, index) => offered[index]!.length > 0) : ids;
      const incomplete = await findIncomplete(candidates, completeness);
      if (incomplete === 'too_large') return incomplete;
      const missingOf = new Map(incomplete.map(({ form, missing }) => [form.id, missing]));
      return ids.map((id) => missingOf.get(id) ?? []);
    },

    /**
     * Lists the forms of a team that lack translations, sorted by slug.
     *
     * @returns `too_large` when they lack more texts together.
     */
    async incompleteOfTeam(
      teamId: number,
      completeness: Completeness,
    ): Promise<IncompleteForm[] | 'too_large'> {
      const forms = await db.orm.form.findMany({
        where: { teamId, ...(completeness.locales === null && { translations: { some: {} } }) },
        orderBy: { slug: 'asc' },
        select: { id: true },
      });
      return findIncomplete(
        forms.map(({ id }) => id),
        completeness,
      );
    },

    /** Creates a form that has passed `formFaults`. */
    create,

    /**
     * Saves a whole form, with optimistic locking: only over the version that was edited.
     *
     * @param restored The version that it is to be again, if any, for the audit trail.
     */
    save(
      { teamId, slug }: Pick<Form, 'teamId' | 'slug'>,
      version: number,
      content: FormContent,
      actor: Actor,
      restored: number | null = null,
    ): Promise<SavedForm> {
      return inTransaction(async (tx) => {
        const stored = await lockForm(tx, { teamId, slug });
        if (!stored) return 'not_found';
        if (stored.version !== version) return 'moved_on';
        await saveForm(tx, { teamId, stored, content, restored }, actor);
        return { form: await tx.form.findUniqueOrThrow({ where: { id: stored.id } }) };
      });
    },

    /** Duplicates a form within its team, with its own retention period and spam filter, without placements. */
    async duplicate(
      id: number,
      { slug, name }: { slug: string; name: string | null },
      actor: Actor,
    ): Promise<CreatedForm> {
      const stored = await db.orm.form.findUnique({ where: { id }, include: FORM_INCLUDE });
      if (!stored) return 'not_found';
      const content = formContent(stored);
      return create(stored.teamId, { ...content, slug, name: name ?? content.name }, actor, stored);
    },

    /** Deletes a form and its placements, unless it has submissions. */
    async remove(form: Pick<Form, 'id' | 'teamId' | 'slug' | 'name'>, actor: Actor) {
      const { id, teamId, slug, name } = form;
      try {
        return await inTransaction(async (tx): Promise<'deleted' | 'not_found' | 'has_submissions'> => {
          await tx.submission.deleteMany({ where: { formId: id, testRecipient: { not: null } } });
          const { count } = await tx.form.deleteMany({ where: { id } });
          if (count === 0) return 'not_found';
          await recordAudit(tx, actor, {
            teamId,
            action: 'form.deleted',
            subject: ['form', id],
            detail: { slug },
          });
          await recordFormChange(tx, { teamId, formId: id, slug, name, version: null, change: 'deleted' });
          return 'deleted';
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return 'has_submissions';
        throw error;
      }
    },
  };
}
