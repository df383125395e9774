import { z } from 'zod';
import { isObject } from './is-object.js';
import { isLongerThan } from './text/characters.js';
import { EMAIL_GRAMMAR, MAX_EMAIL_LENGTH } from './text/email-address.js';
import { isHttpUrl, MAX_URL_LENGTH } from './text/http-url.js';
import { isStorable } from './text/storable-text.js';

/** Text that PostgreSQL can hold: no U+0000, no half of a surrogate pair. */
export const text = (max: number, min = 0, typed = z.string()) =>
  typed
    .min(min, min === 1 ? { error: 'must not be empty' } : undefined)
    .refine((value) => !isLongerThan(value, max), { error: `must be at most ${max} characters` })
    .meta({ maxLength: max })
    .refine(isStorable, { error: 'holds a character that cannot be stored' });

/** A display name. */
export const label = text(255, 1);

/** The name of a person, without the white space around it. */
export const personName = text(255, 1, z.string().trim());

/** A name in URLs. */
export const slug = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, {
  error: 'must be 1 to 100 letters, digits, - and _',
});

/** An address per the HTML standard's grammar. */
export const email = z
  .email({ pattern: EMAIL_GRAMMAR, error: 'must be an e-mail address' })
  .max(MAX_EMAIL_LENGTH);

/** An absolute http or https address. */
export const httpUrl = text(MAX_URL_LENGTH)
  .refine(isHttpUrl, { error: 'must be an http or https address' })
  .meta({ format: 'uri' });

/** The canonical names of the time zones that this Node knows. */
const canonicalTimeZones: ReadonlySet<string> = new Set(Intl.supportedValuesOf('timeZone'));

/** Tells whether this Node knows a time zone. Other names than canonical ones take a formatter, and much longer. */
function isTimeZone(name: string): boolean {
  if (canonicalTimeZones.has(name)) return true;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** What is said of a time zone that Node or PostgreSQL does not know. */
export const UNKNOWN_TIME_ZONE = 'must be a time zone such as Europe/Paris';

/** An IANA time zone that this Node knows. */
export const timeZone = z.string().max(64).refine(isTimeZone, { error: UNKNOWN_TIME_ZONE });

/** One of the platform's languages. */
export const platformLocale = (locales: readonly string[]) =>
  z
    .string()
    .max(10)
    .refine((value) => locales.includes(value), {
      error: `must be one of ${locales.join(', ')}`,
    });

/** An argument that may be left out, which is null then. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

/** An argument that may be left out or null, which is undefined then. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** A mapping with arbitrary keys. Unlike zod's own it skips none: `__proto__` is a key like any other. */
export function mapping<Key extends z.ZodType<string, string>, Value extends z.ZodType>(
  key: Key,
  value: Value,
) {
  return z
    .preprocess(
      (written) => (isObject(written) ? new Map(Object.entries(written)) : written),
      z.map(key, value),
    )
    .transform((entries): Record<string, z.output<Value>> => Object.fromEntries(entries));
}

/**
 * A list in which no two entries have the same natural key. `keysOf` sees entries that may be faulty in
 * other ways, so that every fault is reported in one go.
 */
export function uniqueList<Item extends z.ZodType>(
  item: Item,
  max: number,
  keysOf: (entry: Partial<z.output<Item>>) => Record<string, unknown>,
) {
  return z
    .array(item)
    .max(max)
    .superRefine(
      (entries, context) => {
        if (!Array.isArray(entries)) return;
        for (const { path, first } of repeated(entries.map((entry) => keysOf(entry ?? {})))) {
          context.addIssue({ code: 'custom', path: [...path], message: `is the same as in entry ${first}` });
        }
      },
      { when: () => true },
    );
}

/** A list of texts without duplicates. */
export const uniqueTexts = (item: z.ZodString, max: number) =>
  z
    .array(item)
    .max(max)
    .superRefine((values, context) => {
      for (const { path, first } of repeated(values.map((value) => ({ value })))) {
        context.addIssue({
          code: 'custom',
          path: path.slice(0, 1),
          message: `is the same as in entry ${first}`,
        });
      }
    });

/** Finds each key value that repeats one of an earlier entry, with the position of that entry. */
function repeated(entries: Record<string, unknown>[]): { path: PropertyKey[]; first: number }[] {
  const seen = new Map<string, number>();
  return entries.flatMap((keys, index) =>
    Object.entries(keys).flatMap(([name, value]) => {
      if (typeof value !== 'string') return [];
      const first = seen.get(`${name} ${value}`);
      if (first === undefined) {
        seen.set(`${name} ${value}`, index);
        return [];
      }
      return [{ path: [index, name], first }];
    }),
  );
}
