import { type Actor, recordAudit } from '../../audit/audit.js';
import { type Db, isReferenceViolation, isUniqueViolation, type Transaction } from '../../db/client.js';
import { listByName, type NamedFilter } from '../../db/named-list.js';
import type { Page } from '../../db/paging.js';
import type { Form } from '../../generated/prisma/client.js';
import { inOrderOf } from '../../lib/group-by.js';
import { recordFormChange } from '../../webhooks/outbox.queries.js';
import { FORM_INCLUDE, type FormContent, formContent } from '../definition/form.mapper.js';
import { type FormPatterns, type PatternFault, readPatterns } from '../definition/patterns.js';
import { lockForm } from './forms.queries.js';
import { saveForm } from './save-form.js';

/** Outcome of creating a form. `not_found`: its team or the form to duplicate no longer exists. */
export type CreatedForm = { form: Form } | 'slug_taken' | 'not_found';

/** Outcome of saving a form. `moved_on`: another request has saved a newer version meanwhile. */
export type SavedForm = { form: Form } | 'moved_on' | 'not_found';

/** Timeout of a save: a form with hundreds of fields and their options takes that many statements. */
const SAVE_TIMEOUT_MS = 30_000;

export type ManagedForms = ReturnType<typeof createManagedForms>;

/** Manages forms for the teams that run the websites. */
export function createManagedForms({ db }: { db: Db }) {
  const inTransaction = <T>(work: (tx: Transaction) => Promise<T>) =>
    db.orm.$transaction(work, { timeout: SAVE_TIMEOUT_MS });

  async function findMany(ids: readonly number[]): Promise<(Form | null)[]> {
    const rows = await db.orm.form.findMany({ where: { id: { in: [...ids] } } });
    return inOrderOf(ids, rows);
  }

  async function contentsOf(ids: readonly number[]): Promise<(FormContent | null)[]> {
    const rows = await db.orm.form.findMany({ where: { id: { in: [...ids] } }, include: FORM_INCLUDE });
    return inOrderOf(ids, rows).map((row) => row && formContent(row));
  }

  async function create(teamId: number, content: FormContent, actor: Actor): Promise<CreatedForm> {
    try {
      return await inTransaction(async (tx) => {
        const { id } = await saveForm(tx, { teamId, stored: null, content }, actor);
        return { form: await tx.form.findUniqueOrThrow({ where: { id } }) };
      });
    } catch (error) {
      if (isReferenceViolation(error)) return 'not_found';
      if (isUniqueViolation(error)) return 'slug_taken';
      throw error;
    }
  }

  return {
    find: (id: number): Promise<Form | null> => db.orm.form.findUnique({ where: { id } }),

    /** Finds forms by their ids, in the same order. */
    findMany,

    /** Lists a page of the forms that match a filter, sorted by name and then by id. */
    async list(filter: NamedFilter, page: Page): Promise<Form[]> {
      const found = await findMany(await listByName<number>(db, 'forms', filter, page));
      return found.filter((form) => form !== null);
    },

    /** Reads forms with their fields and translations, in the order of the ids. */
    contentsOf,

    /** Reads a form as it was last saved, with its compiled patterns. */
    async storedDraft(id: number): Promise<{ content: FormContent; patterns: FormPatterns } | null> {
      const [content] = await contentsOf([id]);
      return content ? { content, patterns: await readPatterns(content.fields) } : null;
    },

    /** Lists the patterns of forms that the gateway does not enforce, in the order of the ids. */
    async patternFaultsOf(ids: readonly number[]): Promise<(readonly PatternFault[])[]> {
      const found = await contentsOf(ids);
      const faults: (readonly PatternFault[])[] = [];
      // Compile one form's patterns at a time: they may take long, and other requests have their turn in between.
      for (const content of found) faults.push(content ? (await readPatterns(content.fields)).faults : []);
      return faults;
    },

    /** Reads all forms of a team with their fields and translations, sorted by slug. */
    async contentsOfTeam(teamId: number): Promise<{ form: Form; content: FormContent }[]> {
      const rows = await db.orm.form.findMany({
        where: { teamId },
        include: FORM_INCLUDE,
        orderBy: { slug: 'asc' },
      });
      return rows.map((form) => ({ form, content: formContent(form) }));
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

    /** Duplicates a form within its team, without placements. */
    async duplicate(
      id: number,
      { slug, name }: { slug: string; name: string | null },
      actor: Actor,
    ): Promise<CreatedForm> {
      const stored = await db.orm.form.findUnique({ where: { id }, include: FORM_INCLUDE });
      if (!stored) return 'not_found';
      const content = formContent(stored);
      return create(stored.teamId, { ...content, slug, name: name ?? content.name }, actor);
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
        if (isReferenceViolation(error)) return 'has_submissions';
        throw error;
      }
    },
  };
}
