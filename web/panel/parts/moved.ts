/** The place beside an entry of a list. */
export type Beside = Readonly<{ key: string; position: 'before' | 'after' }>;

/** Moves entries of a list beside another one, in the order that they have. */
export function moved<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  keys: ReadonlySet<string>,
  to: Beside,
): Entry[] {
  const moving = entries.filter((entry) => keys.has(keyOf(entry)));
  const others = entries.filter((entry) => !keys.has(keyOf(entry)));
  const at = others.findIndex((entry) => keyOf(entry) === to.key);
  return at < 0 ? [...entries] : others.toSpliced(at + (to.position === 'after' ? 1 : 0), 0, ...moving);
}
