import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../db/client.js';
import type { Page } from '../../db/paging.js';
import { groupBy, groupsOf } from '../../lib/group-by.js';
import { MAX_INT } from '../../lib/max-int.js';
import { type FormChange, formChanges, type KeptForm } from './form-changes.js';
import {
  type KeptVersion,
  listKept,
  listVersions,
  readContents,
  type VersionKey,
} from './form-versions.queries.js';

type Comparison = Readonly<{ formId: number; from: number; to: number }>;

/** Its successor, with which a cursor is made, is the largest integer that the database can hold. */
const LAST_VERSION = MAX_INT - 1;

/** Comparisons whose contents are in memory together. */
const COMPARED_TOGETHER = 10;

export type FormVersions = ReturnType<typeof createFormVersions>;

const nameOf = ({ formId, version }: VersionKey) => `${formId} ${version}`;

/** Reads the kept versions of forms. */
export function createFormVersions({ db }: { db: Db }) {
  async function contentsOf(keys: readonly VersionKey[]): Promise<Map<string, KeptForm>> {
    const contents = new Map<string, KeptForm>();
    // A large form takes some milliseconds to parse, so yield before the next.
    for (const { json, ...key } of await readContents(db, keys)) {
      await nextTurn();
      contents.set(nameOf(key), JSON.parse(json) as KeptForm);
    }
    return contents;
  }

  async function compareSome(wanted: readonly Comparison[]): Promise<(readonly FormChange[] | null)[]> {
    const keys = wanted.flatMap(({ formId, from, to }) => [
      { formId, version: from },
      { formId, version: to },
    ]);
    const unique = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
    const contents = await contentsOf(unique);
    const compared: (readonly FormChange[] | null)[] = [];
    for (const { formId, from, to } of wanted) {
      await nextTurn();
      const [before, after] = [from, to].map((version) => contents.get(nameOf({ formId, version })));
      compared.push(before && after ? formChanges(before, after) : null);
    }
    return compared;
  }

  return {
    /** Lists a page of the versions of each form, the latest first, with one statement for each distinct page. */
    async pages(wanted: readonly { formId: number; page: Page }[]): Promise<readonly KeptVersion[][]> {
      const found = new Map<string, Map<number, KeptVersion[]>>();
      for (const [name, same] of groupBy(wanted, ({ page }) => JSON.stringify(page))) {
        const formIds = [...new Set(same.map(({ formId }) => formId))];
        const rows = groupsOf(
          formIds,
          await listVersions(db, formIds, same[0]!.page),
          ({ formId }) => formId,
        );
        found.set(name, new Map(formIds.map((id, index) => [id, rows[index]!])));
      }
      return wanted.map(({ formId, page }) => found.get(JSON.stringify(page))!.get(formId)!);
    },

    /** Finds a version that is kept. */
    async find(formId: number, version: number): Promise<KeptVersion | null> {
      const page: Page = { limit: 1, direction: 'forward', cursor: [Math.min(version, LAST_VERSION) + 1] };
      const [found] = await listVersions(db, [formId], page);
      return found?.version === version ? found : null;
    },

    /** Lists the numbers of the kept versions of forms, in the order of the ids. */
    async keptOf(formIds: readonly number[]): Promise<readonly ReadonlySet<number>[]> {
      const rows = groupsOf(formIds, await listKept(db, formIds), ({ formId }) => formId);
      return rows.map((kept) => new Set(kept.map(({ version }) => version)));
    },

    /** Reads what a form was in a version; null when it is not kept. */
    async contentOf(key: VersionKey): Promise<KeptForm | null> {
      return (await contentsOf([key])).get(nameOf(key)) ?? null;
    },

    /**
     * Lists what differs between two versions, for each comparison; null when one of them is not kept.
     *
     * @param keys The form and both versions, as in `12 3 4`: text, so that equal comparisons are loaded once.
     */
    async compare(keys: readonly string[]): Promise<readonly (readonly FormChange[] | null)[]> {
      const wanted = keys.map((key) => {
        const [formId, from, to] = key.split(' ').map(Number);
        return { formId: formId!, from: from!, to: to! };
      });
      const compared: (readonly FormChange[] | null)[] = [];
      for (let at = 0; at < wanted.length; at += COMPARED_TOGETHER) {
        compared.push(...(await compareSome(wanted.slice(at, at + COMPARED_TOGETHER))));
      }
      return compared;
    },
  };
}
