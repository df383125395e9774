/*
 * Evaluates display conditions, which always mean "show when". Server and browser script share this module, so it
 * stays pure and small; checks that only the server needs are in condition-checks.
 */

import { compareDecimals, type Decimal, spellDecimal } from '../../lib/text/decimal.js';
import {
  isAccepted,
  isSwitch,
  normalizedText,
  onScale,
  type ReadableField,
  sentTexts,
} from '../validation/sent-value.js';

export const OPERATORS = [
  'equals',
  'not_equals',
  'in',
  'not_in',
  'contains',
  'is_empty',
  'is_not_empty',
  'gt',
  'gte',
  'lt',
  'lte',
] as const;

export type Operator = (typeof OPERATORS)[number];

type Scalar = string | number | boolean;

/** Compares one field, the driver, with a value: a list for `in` and `not_in`, none for the empty tests. */
export interface Rule {
  field: string;
  operator: Operator;
  value?: Scalar | Scalar[];
}

export interface Condition {
  match: 'all' | 'any';
  rules: Array<Rule | Condition>;
}

/** The properties of a field that a condition reads. */
export interface ConditionalField extends ReadableField {
  name: string;
  visibility: Condition | null;
}

/** Placeholder for a driver that the form does not have. Saving refuses one, and no form sends a nameless field. */
const UNKNOWN_FIELD: ConditionalField = {
  name: '',
  type: 'text',
  isMultiple: false,
  options: [],
  visibility: null,
};

/** Whether a value is a scalar, the only kind that conditions compare. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Distinguishes a rule from a nested condition. */
export function isRule(rule: Rule | Condition): rule is Rule {
  return !('rules' in rule);
}

/** Converts a normalised text to the canonical spelling that comparisons use: 10:00:00 is the time 10:00. */
function comparedText(field: ConditionalField, text: string): string {
  const place = onScale(field.type, text);
  return place ? spellDecimal(place) : text;
}

/** A driver's value, parsed once for all rules that compare it. */
type DriverState = Readonly<{ texts: ReadonlySet<string>; lowest?: Decimal; highest?: Decimal }>;

/** Reads the texts of a driver's value as validation does; a switch that is on is `1`. */
function driverTexts(driver: ConditionalField, value: unknown): string[] {
  if (isSwitch(driver)) return isAccepted(value) ? ['1'] : [];
  return sentTexts(driver, value) ?? [];
}

/** Parses a driver's value once for all rules that compare it. */
function driverState(driver: ConditionalField, value: unknown): DriverState {
  const texts = driverTexts(driver, value);
  const places = texts.flatMap((text) => comparable(driver.type, text) ?? []).sort(compareDecimals);
  const compared = new Set(texts.map((text) => comparedText(driver, text)));
  return { texts: compared, lowest: places[0], highest: places.at(-1) };
}

/** Converts a rule's value to the text to compare with. */
function wantedText(driver: ConditionalField, value: Scalar): string {
  if (isSwitch(driver)) return isAccepted(value) ? '1' : '';
  return comparedText(driver, normalizedText(driver.type, String(value)));
}

/** Places a value on the scale of its type; null when it is not on it. */
export function comparable(type: string, value: Scalar): Decimal | null {
  return onScale(type, String(value).trim());
}

/** Whether a rule holds for its driver; one matching value of several is enough. */
function holds(rule: Rule, driver: ConditionalField, { texts, lowest, highest }: DriverState): boolean {
  const values = [rule.value ?? []].flat();
  const wanted = values.map((value) => wantedText(driver, value));
  const [first = ''] = wanted;
  const isWanted = wanted.some((text) => (texts.size ? texts.has(text) : text === ''));
  const limit = comparable(driver.type, values[0] ?? '');
  const difference = (number: Decimal | undefined) =>
    number && limit ? compareDecimals(number, limit) : Number.NaN;
  switch (rule.operator) {
    case 'equals':
    case 'in':
      return isWanted;
    case 'not_equals':
    case 'not_in':
      return !isWanted;
    case 'contains':
      return driver.options.length > 0 ? isWanted : [...texts].some((text) => text.includes(first));
    case 'is_empty':
      return texts.size === 0;
    case 'is_not_empty':
      return texts.size > 0;
    case 'gt':
      return difference(highest) > 0;
    case 'gte':
      return difference(highest) >= 0;
    case 'lt':
      return difference(lowest) < 0;
    case 'lte':
      return difference(lowest) <= 0;
  }
}

/**
 * Computes the names of the fields that are visible for these values, for browser and server alike. A driver
 * that is hidden itself, or unknown, counts as empty.
 *
 * @param values Field name to value as entered or sent, unchecked; only own properties are read.
 */
export function visibleFields(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
): Set<string> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const shown = new Map<string, boolean>();
  const states = new Map<ConditionalField, DriverState>();

  function stateOf(field: ConditionalField): DriverState {
    const isSent = isShown(field) && Object.hasOwn(values, field.name);
    const state = states.get(field) ?? driverState(field, isSent ? values[field.name] : undefined);
    states.set(field, state);
    return state;
  }

  function isMet(condition: Condition): boolean {
    const test = (rule: Rule | Condition): boolean => {
      if (!isRule(rule)) return isMet(rule);
      const driver = byName.get(rule.field) ?? UNKNOWN_FIELD;
      return holds(rule, driver, stateOf(driver));
    };
    return condition.match === 'all' ? condition.rules.every(test) : condition.rules.some(test);
  }

  function isShown(field: ConditionalField): boolean {
    const known = shown.get(field.name);
    if (known !== undefined) return known;
    // Ends the recursion should a cycle exist, although saving refuses cycles.
    shown.set(field.name, false);
    const result = field.visibility === null || isMet(field.visibility);
    shown.set(field.name, result);
    return result;
  }

  return new Set(fields.filter(isShown).map((field) => field.name));
}
