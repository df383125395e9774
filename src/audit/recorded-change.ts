import type { Prisma } from '../generated/prisma/client.js';
import { firstCharacters } from '../lib/text/characters.js';

/** Maximum characters of a recorded text; the rest is left out. */
const MAX_CHARACTERS = 200;

/** Maximum entries of a recorded list. */
const MAX_ENTRIES = 10;

const ELLIPSIS = '…';

type Recorded = string | number | boolean | null | Recorded[];

/** How the value of each setting is recorded; one that may be a secret in part is recorded without that part. */
export type Shown<Key extends string> = Readonly<Record<Key, (value: never) => Recorded>>;

/** Records a value as it is. */
export const asIs = <Value extends Recorded>(value: Value): Value => value;

/** Records an address without user, query and fragment, which may carry a token. */
export const withoutQuery = (address: string): string =>
  address.split(/[?#]/, 1)[0]!.replace(/^(\w+:\/\/)[^/]*@/, '$1');

function shortened(value: Recorded): Recorded {
  if (typeof value === 'string') {
    const first = firstCharacters(value, MAX_CHARACTERS);
    return first === value ? value : `${first}${ELLIPSIS}`;
  }
  if (!Array.isArray(value)) return value;
  const first = value.slice(0, MAX_ENTRIES).map(shortened);
  return first.length === value.length ? first : [...first, ELLIPSIS];
}

/**
 * Makes the detail of a changed row: the settings that differ with their values, and those before.
 *
 * Equal values are of a setting that differs in what is not recorded of it.
 */
export function recordedChange<Key extends string>(
  keys: readonly Key[],
  { before, after }: Readonly<Record<'before' | 'after', Readonly<Partial<Record<Key, unknown>>>>>,
  shown: Shown<Key>,
): { before: Prisma.InputJsonObject; changed: Prisma.InputJsonObject } {
  const recorded = (values: Readonly<Partial<Record<Key, unknown>>>) =>
    Object.fromEntries(keys.map((key) => [key, shortened(shown[key](values[key] as never))]));
  return { before: recorded(before), changed: recorded(after) };
}
