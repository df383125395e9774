import type { Db } from '../db/client.js';
import { type AttentionItem, type AttentionKind, type AttentionScope, byUrgency } from './attention-item.js';
import { ATTENTION_SOURCES } from './attention-sources.js';
import { readSetAsides } from './set-asides.queries.js';

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
    .sort(byUrgency);
}
