/**
 * Finds the fewest entries of a list that have moved: those outside the longest sequence that kept its order.
 *
 * @param before Keys in their former order, each once.
 * @param after Keys in their present order. Keys of one list alone count as added or removed, not as moved.
 */
export function movedKeys(before: readonly string[], after: readonly string[]): Set<string> {
  const formerly = new Map(before.map((key, position) => [key, position]));
  const shared = after.filter((key) => formerly.has(key));
  /** For each length, the last entry of the rising sequence of that length that ends earliest. */
  const ends: string[] = [];
  const precedes = new Map<string, string | undefined>();
  for (const key of shared) {
    const position = formerly.get(key)!;
    const length = firstIndex(ends.length, (index) => formerly.get(ends[index]!)! > position);
    precedes.set(key, ends[length - 1]);
    ends[length] = key;
  }
  const moved = new Set(shared);
  for (let key = ends.at(-1); key !== undefined; key = precedes.get(key)) moved.delete(key);
  return moved;
}

/** Finds the first index for which a test holds that holds for every later one too; `length` when there is none. */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
