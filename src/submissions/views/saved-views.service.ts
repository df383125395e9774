import type { Db } from '../../db/client.js';
import { isUniqueViolation } from '../../db/database-errors.js';
import { lockRow } from '../../db/row-lock.js';
import { conflict } from '../../errors.js';
import type { Prisma, SavedView } from '../../generated/prisma/client.js';
import type { InboxFilter } from '../inbox/inbox-filter.schema.js';

const alphabetical = new Intl.Collator();

/** Maximum number of views of an account. */
const MAX_VIEWS = 50;

/** A view as it is saved: a period of its own, or the last days. */
export type View = Readonly<{ name: string; filter: InboxFilter; lastDays: number | undefined }>;

export type SavedViews = ReturnType<typeof createSavedViews>;

const taken = () => conflict('There already is a view of this name.');

/** Writes a filter as the panel's API takes it, so that a page can use it as it is. */
function stored({ teamId, formIds, from, to, ...filter }: InboxFilter): Prisma.InputJsonObject {
  const written = {
    ...filter,
    teamId: teamId === undefined ? undefined : String(teamId),
    formIds: formIds?.map(String),
    from: from?.toISOString(),
    to: to?.toISOString(),
  };
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

/** Keeps the views of accounts. A view belongs to one account, which alone sees and changes it. */
export function createSavedViews({ db }: { db: Db }) {
  return {
    /** Lists the views of an account, sorted by name. */
    async list(userId: number): Promise<SavedView[]> {
      const views = await db.orm.savedView.findMany({ where: { userId } });
      return views.sort((one, other) => alphabetical.compare(one.name, other.name));
    },

    /**
     * Saves a view; one of the same name is replaced.
     *
     * @throws 409 when the account has as many as it may.
     */
    save(userId: number, { name, filter, lastDays }: View): Promise<SavedView> {
      const content = { filter: stored(filter), lastDays: lastDays ?? null };
      return db.orm.$transaction(async (tx) => {
        // Concurrent calls of the account are counted one after the other.
        await lockRow(tx, 'users', userId);
        const others = await tx.savedView.count({ where: { userId, name: { not: name } } });
        if (others >= MAX_VIEWS) throw conflict(`An account has ${MAX_VIEWS} views at most.`);
        const key = { userId_name: { userId, name } };
        return tx.savedView.upsert({ where: key, create: { userId, name, ...content }, update: content });
      });
    },

    /** Renames a view. @returns null when the account has no such view. @throws 409 when it has one of this name. */
    async rename(userId: number, id: string, name: string): Promise<SavedView | null> {
      try {
        const [view] = await db.orm.savedView.updateManyAndReturn({ where: { id, userId }, data: { name } });
        return view ?? null;
      } catch (error) {
        throw isUniqueViolation(error) ? taken() : error;
      }
    },

    /** Deletes a view. @returns false when the account has no such view. */
    async delete(userId: number, id: string): Promise<boolean> {
      const { count } = await db.orm.savedView.deleteMany({ where: { id, userId } });
      return count > 0;
    },
  };
}
