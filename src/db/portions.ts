/** Maximum number of rows in one statement, which commits by itself. */
const PORTION = 5_000;

/** Maximum duration of a run, so that a worker stops in time; the next run continues. */
export const RUN_FOR_MS = 3_000;

/**
 * Repeats a step until it has nothing left to do, for some seconds at most.
 *
 * @param runStep Does one portion, and tells whether more may be left.
 */
export async function runPortions(
  runStep: () => Promise<boolean>,
  { runForMs = RUN_FOR_MS }: { runForMs?: number } = {},
): Promise<void> {
  const endsAt = performance.now() + runForMs;
  while ((await runStep()) && performance.now() <= endsAt);
}

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
  let total = 0;
  await runPortions(async () => {
    const count = await changePortion(portion);
    total += count;
    return count >= portion;
  });
  return total;
}
