import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../db/client.js';
import type { Form } from '../../generated/prisma/client.js';
import { inOrderOf } from '../../lib/group-by.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { type FormContent, formContent } from '../definition/form.mapper.js';
import { readFormSizes, readOptions } from './forms.queries.js';

/** A form and its content. */
type ReadForm = Readonly<{ form: Form; content: FormContent }>;

/**
 * Maximum rows that one turn of the event loop maps, unless one form alone has more: each takes some 8 µs. Ordinary
 * forms have about fifty, a form with thousands of options as many thousands.
 */
const ROWS_IN_PORTION = 2_000;

/** How forms are to be read: their ids in portions, and the rows of all. */
export type ReadPlan = Readonly<{ portions: readonly (readonly number[])[]; rows: number }>;

const WITHOUT_OPTIONS = { orderBy: { position: 'asc' }, include: { translations: true } } as const;

/** Splits the ids of forms into portions by their sizes. A form that there is no longer is left out. */
function portionsOf(ids: readonly number[], rowsOf: ReadonlyMap<number, number>): number[][] {
  const portions: number[][] = [];
  let room = 0;
  for (const id of ids) {
    const rows = rowsOf.get(id);
    if (rows === undefined) continue;
    if (rows > room || portions.length === 0) {
      portions.push([]);
      room = ROWS_IN_PORTION;
    }
    portions.at(-1)!.push(id);
    room -= rows;
  }
  return portions;
}

/** Creates a reader of forms with their fields and translations, however large and many they are. */
export function createFormContents({ db }: { db: Db }) {
  /** Maps one portion in a turn of the event loop, whichever operations have read them. */
  const mapInTurn = createSemaphore(1);

  async function read(ids: readonly number[]): Promise<ReadForm[]> {
    const rows = await db.orm.form.findMany({
      where: { id: { in: [...ids] } },
      include: { fields: WITHOUT_OPTIONS, translations: true },
    });
    const options = await readOptions(
      db,
      rows.flatMap(({ fields }) => fields.map(({ id }) => id)),
    );
    return mapInTurn(async () => {
      await nextTurn();
      return inOrderOf(ids, rows).flatMap((row) => {
        if (!row) return [];
        const { fields, translations, ...form } = row;
        const complete = fields.map((field) => ({ ...field, options: options.get(field.id) ?? [] }));
        return [{ form, content: formContent({ ...form, translations, fields: complete }) }];
      });
    });
  }

  return {
    /** Plans the reading of forms by their sizes; that of one form needs none. */
    async plan(ids: readonly number[]): Promise<ReadPlan> {
      if (ids.length <= 1) return { portions: [ids], rows: 0 };
      const sizes = await readFormSizes(db, ids);
      return {
        portions: portionsOf(ids, new Map(sizes.map(({ id, rows }) => [id, rows]))),
        rows: sizes.reduce((sum, { rows }) => sum + rows, 0),
      };
    },

    /**
     * Yields the forms of a plan, in the order of the ids, in portions between which other requests have their turn.
     */
    async *inPortions({ portions }: ReadPlan): AsyncGenerator<ReadForm[]> {
      for (const ids of portions) yield await read(ids);
    },
  };
}
