import type { FormattedExecutionResult } from 'graphql';

/** Empties an object that the execution has made, which has no prototype; any other may be somebody's. */
function empty(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== null) return;
  for (const key of Object.keys(value)) delete (value as Record<string, unknown>)[key];
}

/**
 * Writes the answer to an operation, and lets go of what it was made of.
 *
 * The promises that hold an answer and its root fields have waited for PostgreSQL, long enough for V8 to take them
 * for old. Whatever hangs on them then is moved to the old generation too, dead as it is, and stays there until all
 * of the heap is collected: a quarter of the time that a page of the inbox took.
 */
export function writeAnswer(result: FormattedExecutionResult): string {
  const text = `${JSON.stringify(result)}\n`;
  for (const field of Object.values(result.data ?? {})) empty(field);
  empty(result.data);
  return text;
}
