import { isDeepStrictEqual } from 'node:util';

/** The outcome of a save. */
export type Outcome = 'created' | 'updated' | 'unchanged';

/** Copies an object without the keys that are undefined, so that only what was given is left. */
export function given<T extends object>(entry: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}

/** Returns the part of `wanted` that differs from what is stored; null when nothing does. */
export function changes<T extends object>(stored: object, wanted: T): Partial<T> | null {
  const before = stored as Record<string, unknown>;
  const changed = Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(before[key], value));
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<T>) : null;
}

/** Picks what was stored before a change, of the keys that it changes. */
export const valuesBefore = <T extends object>(stored: T, changed: object): Partial<T> =>
  Object.fromEntries(Object.keys(changed).map((key) => [key, stored[key as keyof T]])) as Partial<T>;
