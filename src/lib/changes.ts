import { isDeepStrictEqual } from 'node:util';

/** What saving something came to. */
export type Outcome = 'created' | 'updated' | 'unchanged';

/** An object without the keys that are undefined: what somebody really said. */
export function given<T extends object>(entry: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as never;
}

/** The part of `wanted` that differs from what is stored; null when nothing does. */
export function changes<T extends object>(stored: object, wanted: T): Partial<T> | null {
  const before = stored as Record<string, unknown>;
  const changed = Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(before[key], value));
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<T>) : null;
}
