import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../lib/is-object.js';

type Detail = Readonly<Record<string, unknown>>;

const isChange = (value: unknown): value is Detail => isObject(value) && 'from' in value && 'to' in value;

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (isChange(value)) return `${valueText(value.from)} → ${valueText(value.to)}`;
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'none';
  return isObject(value) ? JSON.stringify(value) : String(value);
}

/** Puts a setting beside what it was; equal values are of one that differs in what is not recorded of it. */
const changeOf = (from: unknown, to: unknown): unknown =>
  isDeepStrictEqual(from, to) ? 'changed' : { from, to };

/**
 * Lists what a detail says, with each changed setting under its own name, beside what it was before where that is
 * known.
 */
function entriesOf({ before, changed, from, to, ...rest }: Detail): [string, unknown][] {
  const entries = Object.entries(rest);
  if (from !== undefined || to !== undefined) entries.unshift(['changed', { from, to }]);
  if (!isObject(changed)) return changed === undefined ? entries : [...entries, ['changed', changed]];
  const settings = Object.entries(changed).map(([key, value]): [string, unknown] => [
    key,
    isObject(before) ? changeOf(before[key], value) : value,
  ]);
  return [...entries, ...settings];
}

/** Writes the details of an event for a reader, as in `plan: Small → Large; planId: 1 → 2`. */
export const detailText = (detail: Detail): string =>
  entriesOf(detail)
    .map(([key, value]) => `${key}: ${valueText(value)}`)
    .join('; ');
