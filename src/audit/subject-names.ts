import type { Db } from '../db/client.js';
import { MAX_INT } from '../lib/max-int.js';
import { isUuid } from '../lib/text/uuid.js';

/** What an event was done to, as it is recorded. */
export type Subject = Readonly<{ subjectType: string; subjectId: string }>;

type Named = Readonly<{ id: string | number; name: string }>;

type Reader = (orm: Db['orm'], ids: readonly string[]) => Promise<readonly Named[]>;

const numbers = (ids: readonly string[]) => ({
  id: { in: ids.map(Number).filter((id) => Number.isInteger(id) && id > 0 && id <= MAX_INT) },
});

const uuids = (ids: readonly string[]) => ({ id: { in: ids.filter((id) => isUuid(id)) } });

const select = { id: true, name: true } as const;

/** How the names of a kind are read. A lead has none, since the trail tells nothing of visitors. */
const READERS: Readonly<Record<string, Reader>> = {
  async website({ website }, ids) {
    const rows = await website.findMany({ where: uuids(ids), select: { id: true, host: true } });
    return rows.map(({ id, host }) => ({ id, name: host }));
  },
  async webhook({ webhook }, ids) {
    const rows = await webhook.findMany({ where: uuids(ids), select: { id: true, url: true } });
    return rows.map(({ id, url }) => ({ id, name: new URL(url).host }));
  },
  async user({ user }, ids) {
    const rows = await user.findMany({
      where: { ...numbers(ids), deletedAt: null },
      select: { ...select, email: true },
    });
    return rows.map(({ id, name, email }) => ({ id, name: name || email }));
  },
  async invitation({ oneTimeLink }, ids) {
    const rows = await oneTimeLink.findMany({
      where: { ...uuids(ids), purpose: 'invitation' },
      select: { id: true, email: true },
    });
    return rows.map(({ id, email }) => ({ id, name: email ?? '' }));
  },
  async department({ department }, ids) {
    const rows = await department.findMany({ where: { code: { in: [...ids] } } });
    return rows.map(({ code, name }) => ({ id: code, name }));
  },
  form: ({ form }, ids) => form.findMany({ where: numbers(ids), select }),
  team: ({ team }, ids) => team.findMany({ where: numbers(ids), select }),
  plan: ({ plan }, ids) => plan.findMany({ where: numbers(ids), select }),
  token: ({ token }, ids) => token.findMany({ where: numbers(ids), select }),
};

/** Identifies a subject among those whose names are read at once. */
export const subjectKey = ({ subjectType, subjectId }: Subject): string => `${subjectType} ${subjectId}`;

export type SubjectNames = ReturnType<typeof createSubjectNames>;

/** Reads what the subjects of the audit trail are called now. */
export function createSubjectNames({ db }: { db: Db }) {
  return {
    /** Reads the names of subjects in the order of their keys, a statement for each kind; null where there is none. */
    async byKeys(keys: readonly string[]): Promise<(string | null)[]> {
      const ids = new Map<string, string[]>();
      for (const key of keys) {
        const [type, id] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)];
        ids.set(type, [...(ids.get(type) ?? []), id]);
      }
      const read = await Promise.all(
        [...ids].map(async ([subjectType, ofType]) => {
          const rows = Object.hasOwn(READERS, subjectType) ? await READERS[subjectType]!(db.orm, ofType) : [];
          return rows.map(
            ({ id, name }) => [subjectKey({ subjectType, subjectId: String(id) }), name] as const,
          );
        }),
      );
      const names = new Map(read.flat());
      return keys.map((key) => names.get(key) ?? null);
    },
  };
}
