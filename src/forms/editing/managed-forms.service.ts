import { type Actor, recordAudit } from '../../audit/audit.js';
import { type Db, isReferenceViolation, isUniqueViolation, type Transaction } from '../../db/client.js';
import type { Page } from '../../db/paging.js';
import { BY_NAME, containing, pageSql } from '../../db/paging.js';
import { type Form, Prisma } from '../../generated/prisma/client.js';
import { storableText } from '../../lib/storable-text.js';
import { FORM_INCLUDE, type FormContent, formContent, lockForm } from '../definition/form.mapper.js';
import { type PatternFault, readPatterns } from '../definition/patterns.js';
import { saveForm } from './save-form.js';

export type FormFilter = Readonly<{
  /** Null means every team. */
  teamIds: readonly number[] | null;
  /** A part of the name or the slug. */
  search: string | null;
}>;

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
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  async function contentsOf(ids: readonly number[]): Promise<(FormContent | null)[]> {
    const rows = await db.orm.form.findMany({ where: { id: { in: [...ids] } }, include: FORM_INCLUDE });
    const byId = new Map(rows.map((row) => [row.id, formContent(row)]));
    return ids.map((id) => byId.get(id) ?? null);
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
    async list({ teamIds, search }: FormFilter, page: Page): Promise<Form[]> {
      const keys = [
        { sql: BY_NAME, type: 'text' },
        { sql: 'id', type: 'int' },
      ] as const;
      const { beyond, order, limit } = pageSql(page, keys, 'ascending');
      const pattern = search === null ? null : containing(storableText(search));
      const ids = await db.orm.$queryRaw<{ id: number }[]>`
        SELECT id FROM forms
         WHERE ${teamIds ? Prisma.sql`team_id = ANY(${[...teamIds]}::int[])` : Prisma.sql`TRUE`}
           AND ${pattern === null ? Prisma.sql`TRUE` : Prisma.sql`(name ILIKE ${pattern} OR slug ILIKE ${pattern})`}
           AND ${beyond}
         ORDER BY ${order} LIMIT ${limit}`;
      const found = await findMany(ids.map(({ id }) => id));
      return found.filter((form) => form !== null);
    },

    /** Reads forms with their fields and translations, in the order of the ids. */
    contentsOf,

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

    /** Saves a whole form, with optimistic locking: only over the version that was edited. */
    save(
      { teamId, slug }: Pick<Form, 'teamId' | 'slug'>,
      version: number,
      content: FormContent,
      actor: Actor,
    ): Promise<SavedForm> {
      return inTransaction(async (tx) => {
        const stored = await lockForm(tx, { teamId, slug });
        if (!stored) return 'not_found';
        if (stored.version !== version) return 'moved_on';
        await saveForm(tx, { teamId, stored, content }, actor);
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
    async remove(form: Pick<Form, 'id' | 'teamId' | 'slug'>, actor: Actor) {
      const { id, teamId, slug } = form;
      try {
        return await inTransaction(async (tx): Promise<'deleted' | 'not_found' | 'has_submissions'> => {
          const { count } = await tx.form.deleteMany({ where: { id } });
          if (count === 0) return 'not_found';
          await recordAudit(tx, actor, {
            teamId,
            action: 'form.deleted',
            subject: ['form', id],
            detail: { slug },
          });
          return 'deleted';
        });
      } catch (error) {
        if (isReferenceViolation(error)) return 'has_submissions';
        throw error;
      }
    },
  };
}
