/** Maximum number of rows in one statement, which commits by itself. */
const PORTION = 5_000;

/** Maximum duration of a run, so that a worker stops in time; the next run continues. */
const RUN_FOR_MS = 3_000;

/**
 * Changes or deletes rows in portions, for some seconds at most.
 *
 * @param changePortion Changes or deletes up to so many rows, and returns how many there were.
 * @returns how many there were in all.
 */
export async function changeInPortions(
  changePortion: (limit: number) => Promise<number>,
  portion = PORTION,
): Promise<number> {
  const endsAt = performance.now() + RUN_FOR_MS;
  for (let total = 0; ; ) {
    const count = await changePortion(portion);
    total += count;
    if (count < portion || performance.now() > endsAt) return total;
  }
}
