/*
 * Display conditions, always meaning "show when". Server and browser script share this module, so it
 * imports nothing and stays small; what only the server asks is in condition-checks.
 */

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
export interface ConditionalField {
  name: string;
  type: string;
  options: ReadonlyArray<{ value: string }>;
  visibility: Condition | null;
}

/** Longer texts are refused by the validation anyway; comparing their beginning bounds the work. */
const MAX_COMPARED_LENGTH = 10_000;

/** Stands for a driver that the form does not have: saving refuses it, evaluating treats it as empty. */
const UNKNOWN_FIELD: ConditionalField = { name: '', type: 'text', options: [], visibility: null };

const ACCEPTED = ['1', 'true', 'on', 'yes'];

/** A field that is only on or off: a consent, or a checkbox without options. */
export function isSwitch(field: Pick<ConditionalField, 'type' | 'options'>): boolean {
  return field.type === 'consent' || (field.type === 'checkbox' && field.options.length === 0);
}

/** Whether a value sent for a switch means "on". */
export function isAccepted(value: unknown): boolean {
  return value === 1 || value === true || (typeof value === 'string' && ACCEPTED.includes(value));
}

/** Whether a value is one that conditions compare. */
export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/** Tells a rule from a condition inside a condition. */
export function isRule(rule: Rule | Condition): rule is Rule {
  return !('rules' in rule);
}

/** A value as the text that comparisons use; empty when there is none, or none of that type. */
function comparedText(field: ConditionalField, value: unknown): string {
  if (isSwitch(field)) return isAccepted(value) ? '1' : '';
  if (!isScalar(value)) return '';
  const text = String(value).slice(0, MAX_COMPARED_LENGTH).replaceAll('\r\n', '\n').trim();
  return field.type === 'number' ? String(comparable('number', text) ?? text) : text;
}

/** A value on the scale of its type: numbers as they are, days and milliseconds; null if it is not on it. */
export function comparable(type: string, value: Scalar): number | null {
  const text = String(value).slice(0, 100).trim();
  if (type === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) + 0 : null;
  if (type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  if (type === 'time' && !/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null;
  const instant = Date.parse(type === 'date' ? `${text}T00:00Z` : `1970-01-01T${text}Z`);
  return Number.isNaN(instant) ? null : instant;
}

/** Whether a rule holds for the texts of its driver. Of several values one is enough. */
function holds(rule: Rule, driver: ConditionalField, texts: readonly string[]): boolean {
  const wanted = [rule.value ?? []].flat().map((value) => comparedText(driver, value));
  const isAnyWanted = () =>
    texts.length === 0 ? wanted.includes('') : texts.some((text) => wanted.includes(text));
  const isAnyOrdered = (test: (difference: number) => boolean) => {
    const limit = comparable(driver.type, wanted[0] ?? '');
    return texts.some((text) => {
      const number = comparable(driver.type, text);
      return number !== null && limit !== null && test(number - limit);
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
    const texts = [value].flat().map((item) => comparedText(field, item));
    const present = [...new Set(texts)].filter((text) => text !== '');
    textsByName.set(field.name, present);
    return present;
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
