/*
 * Display conditions, always meaning "show when". Server and browser script share this module, so it stays
 * pure and small; what only the server asks is in condition-checks.
 */

import { compareDecimals, type Decimal, spellDecimal } from '../../lib/decimal.js';
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

/** What a condition needs to know of a field. */
export interface ConditionalField extends ReadableField {
  name: string;
  visibility: Condition | null;
}

/** Longer texts are refused by the validation anyway; comparing their beginning bounds the work. In UTF-16 units. */
const MAX_COMPARED_LENGTH = 20_000;

/** Stands for a driver that the form does not have: saving refuses it, evaluating treats it as empty. */
const UNKNOWN_FIELD: ConditionalField = {
  name: '',
  type: 'text',
  isMultiple: false,
  options: [],
  visibility: null,
};

/** Whether a value is one that conditions compare. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Tells a rule from a condition inside a condition. */
export function isRule(rule: Rule | Condition): rule is Rule {
  return !('rules' in rule);
}

/** A normalised text in the one spelling that comparisons use. */
function comparedText(field: ConditionalField, text: string): string {
  const compared = text.slice(0, MAX_COMPARED_LENGTH);
  const number = field.type === 'number' ? onScale('number', compared) : null;
  return number ? spellDecimal(number) : compared;
}

/** The texts of a driver's value, as validation reads them too; a switch that is on is `1`. */
function driverTexts(driver: ConditionalField, value: unknown): readonly string[] {
  if (isSwitch(driver)) return isAccepted(value) ? ['1'] : [];
  const texts = sentTexts(driver, value) ?? [];
  return [...new Set(texts.map((text) => comparedText(driver, text)))];
}

/** The text that a rule's value stands for. */
function wantedText(driver: ConditionalField, value: Scalar): string {
  if (isSwitch(driver)) return isAccepted(value) ? '1' : '';
  return comparedText(driver, normalizedText(driver.type, String(value)));
}

/** A value on the scale of its type, or null if it is not on it. */
export function comparable(type: string, value: Scalar): Decimal | null {
  return onScale(type, String(value).trim());
}

/** Whether a rule holds for the texts of its driver. Of several values one is enough. */
function holds(rule: Rule, driver: ConditionalField, texts: readonly string[]): boolean {
  const wanted = [rule.value ?? []].flat().map((value) => wantedText(driver, value));
  const isAnyWanted = () =>
    texts.length === 0 ? wanted.includes('') : texts.some((text) => wanted.includes(text));
  const isAnyOrdered = (test: (difference: number) => boolean) => {
    const limit = comparable(driver.type, wanted[0] ?? '');
    return texts.some((text) => {
      const number = comparable(driver.type, text);
      return number !== null && limit !== null && test(compareDecimals(number, limit));
    });
  };
  switch (rule.operator) {
    case 'equals':
    case 'in':
      return isAnyWanted();
    case 'not_equals':
    case 'not_in':
      return !isAnyWanted();
    case 'contains':
      return driver.options.length > 0 ? isAnyWanted() : texts.some((text) => text.includes(wanted[0] ?? ''));
    case 'is_empty':
      return texts.length === 0;
    case 'is_not_empty':
      return texts.length > 0;
    case 'gt':
      return isAnyOrdered((difference) => difference > 0);
    case 'gte':
      return isAnyOrdered((difference) => difference >= 0);
    case 'lt':
      return isAnyOrdered((difference) => difference < 0);
    case 'lte':
      return isAnyOrdered((difference) => difference <= 0);
  }
}

/**
 * The names of the fields that are shown for these values: the one place that decides it, for the
 * browser as for the server. A driver that is hidden itself, or unknown, counts as empty.
 *
 * @param values Field name to value as entered or sent, unchecked; own properties only.
 */
export function visibleFields(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
): Set<string> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const shown = new Map<string, boolean>();
  const textsByName = new Map<string, readonly string[]>();

  function textsOf(field: ConditionalField): readonly string[] {
    if (!isShown(field)) return [];
    const known = textsByName.get(field.name);
    if (known) return known;
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const texts = driverTexts(field, value);
    textsByName.set(field.name, texts);
    return texts;
  }

  function isMet(condition: Condition): boolean {
    const test = (rule: Rule | Condition): boolean => {
      if (!isRule(rule)) return isMet(rule);
      const driver = byName.get(rule.field);
      return driver ? holds(rule, driver, textsOf(driver)) : holds(rule, UNKNOWN_FIELD, []);
    };
    return condition.match === 'all' ? condition.rules.every(test) : condition.rules.some(test);
  }

  function isShown(field: ConditionalField): boolean {
    const known = shown.get(field.name);
    if (known !== undefined) return known;
    // Saving refuses circles; should one exist all the same, it ends here.
    shown.set(field.name, false);
    const result = field.visibility === null || isMet(field.visibility);
    shown.set(field.name, result);
    return result;
  }

  return new Set(fields.filter(isShown).map((field) => field.name));
}
