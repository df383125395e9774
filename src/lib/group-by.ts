/** Groups entries by a key, in their order. Node 20 has no `Map.groupBy`. */
export function groupBy<T, K>(entries: readonly T[], keyOf: (entry: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group) group.push(entry);
    else groups.set(keyOf(entry), [entry]);
  }
  return groups;
}

/** Groups entries by an id, and returns the group of each of the ids, in their order. */
export function groupsOf<T, Id>(ids: readonly Id[], entries: readonly T[], idOf: (entry: T) => Id): T[][] {
  const groups = groupBy(entries, idOf);
  return ids.map((id) => groups.get(id) ?? []);
}

/** Puts entries in the order of the ids; null stands for an id that none has. */
export function inOrderOf<Id, T extends { id: Id }>(ids: readonly Id[], entries: readonly T[]): (T | null)[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return ids.map((id) => byId.get(id) ?? null);
}
