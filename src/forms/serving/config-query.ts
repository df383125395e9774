import { type FieldErrors, invalid } from '../../errors.js';

/** Maximum number of entries of one request. */
export const MAX_ENTRIES = 20;

/** Matches a slug, and the base of a language tag or nothing. */
export const ENTRY = /^([A-Za-z0-9_-]+)~([a-z]{0,8})$/;

/** Length to which an error shortens a malformed entry. */
const MAX_SHOWN_LENGTH = 100;

/** One requested form. */
export type ConfigEntry = Readonly<{
  /** The entry as sent, which is the key in the answer. */
  key: string;
  slug: string;
  /** A base language, or empty to let the server choose. */
  language: string;
}>;

/**
 * Parses the query parameter `f` of the configuration endpoint, entries `slug~lang` separated by
 * commas. A duplicate entry counts towards the limit and is answered once.
 *
 * @param f The parameter as Express parses it: a list when it was given more than once.
 * @throws 422 that names every malformed entry.
 */
export function readConfigEntries(f: unknown): ConfigEntry[] {
  if (f === undefined || f === '') throw invalidEntries(['This parameter is required.']);
  if (typeof f !== 'string') throw invalidEntries(['This parameter must be given once.']);
  const keys = f.split(',');
  if (keys.length > MAX_ENTRIES) throw invalidEntries([`At most ${MAX_ENTRIES} entries are allowed.`]);
  const malformed: string[] = [];
  const entries = [...new Set(keys)].flatMap((key) => {
    const [, slug, language] = ENTRY.exec(key) ?? [];
    if (slug !== undefined && language !== undefined) return [{ key, slug, language }];
    malformed.push(
      `"${key.slice(0, MAX_SHOWN_LENGTH)}" is not of the form slug~lang with a lower-case base language.`,
    );
    return [];
  });
  if (malformed.length > 0) throw invalidEntries(malformed);
  return entries;
}

function invalidEntries(messages: string[]) {
  const errors: FieldErrors = { f: messages };
  return invalid(errors);
}
