const PAUSE_MS = 20;

/**
 * Waits until a condition gives something truthy, and returns it; fails after the time is over, two minutes unless
 * told.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { withinMs = 120_000 }: { withinMs?: number } = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined>;
    if (Date.now() > deadline) throw new Error(`Not so within ${withinMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
