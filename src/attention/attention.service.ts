import type { Db } from '../db/client.js';
import type { Page } from '../db/paging.js';
import type { Clock } from '../lib/clock.js';
import {
  type AttentionItem,
  type AttentionKind,
  type AttentionScope,
  comparePositions,
  sortKey,
} from './attention-item.js';
import { ATTENTION_SOURCES } from './attention-sources.js';
import { readSetAsides } from './set-asides.queries.js';
import { readToday, type Today } from './today.js';

type Selection = AttentionScope &
  Readonly<{
    /** Null: every kind. */
    kinds?: readonly AttentionKind[] | null;
    now: Date;
  }>;

/** Reads what needs attention, the most urgent first, without what a person has set aside. */
export async function readAttention(
  db: Db,
  { teamIds, kinds = null, now }: Selection,
): Promise<AttentionItem[]> {
  const wanted = new Set(kinds);
  const isWanted = (kind: AttentionKind) => kinds === null || wanted.has(kind);
  const sources = ATTENTION_SOURCES.filter((source) => source.kinds.some(isWanted));
  const [setAsides, ...found] = await Promise.all([
    readSetAsides(db, now),
    ...sources.map((source) => source.read(db, { teamIds, now })),
  ]);
  const expected = new Set(setAsides.map(({ websiteId, kind }) => `${websiteId} ${kind}`));
  return found
    .flat()
    .filter(({ kind, websiteId }) => isWanted(kind) && !expected.has(`${websiteId} ${kind}`))
    .sort((one, other) => comparePositions(sortKey(one), sortKey(other)));
}

/** Selects the items of a page from all, in the direction of the page, and one more than its limit. */
function pageOf(items: readonly AttentionItem[], { limit, direction, cursor }: Page): AttentionItem[] {
  const sign = direction === 'forward' ? 1 : -1;
  const ordered = direction === 'forward' ? items : items.toReversed();
  const beyond =
    cursor === null ? ordered : ordered.filter((item) => sign * comparePositions(sortKey(item), cursor) > 0);
  return beyond.slice(0, limit + 1);
}

export type Attention = ReturnType<typeof createAttention>;

/** Tells the panel what needs attention, and how the day goes. */
export function createAttention({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Lists a page of what needs attention, the most urgent first. */
    list: async (selection: Omit<Selection, 'now'>, page: Page): Promise<AttentionItem[]> =>
      pageOf(await readAttention(db, { ...selection, now: clock() }), page),

    /** Reads how the day goes, and counts what needs attention. */
    async today(scope: AttentionScope): Promise<Today & { attentionCount: number }> {
      const now = clock();
      const [today, items] = await Promise.all([
        readToday(db, scope, now),
        readAttention(db, { ...scope, now }),
      ]);
      return { ...today, attentionCount: items.length };
    },
  };
}
