/*
 * Display conditions, always meaning "show when". Server and browser script share this module, so it
 * imports nothing and stays small.
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

/** Something wrong, and where: keys and indexes from the value that was checked. */
export interface ConditionFault {
  path: Array<string | number>;
  message: string;
}

const MAX_DEPTH = 5;
const MAX_RULES = 100;
/** Longer texts are refused by the validation anyway; comparing their beginning bounds the work. */
const MAX_COMPARED_LENGTH = 10_000;

const ORDERED_TYPES = ['number', 'date', 'time'];
const CHOICE_TYPES = ['select', 'radio', 'checkbox'];
const LIST_OPERATORS: Operator[] = ['in', 'not_in'];
const EMPTY_OPERATORS: Operator[] = ['is_empty', 'is_not_empty'];
const ORDER_OPERATORS: Operator[] = ['gt', 'gte', 'lt', 'lte'];

/** Stands for a driver that the form does not have: saving refuses it, evaluating treats it as empty. */
const UNKNOWN_FIELD: ConditionalField = { name: '', type: 'text', options: [], visibility: null };

const ACCEPTED = ['1', 'true', 'on', 'yes'];

/** Whether a value sent for a consent field, or for a checkbox without options, means "checked". */
export function isAccepted(value: unknown): boolean {
  return value === 1 || value === true || (typeof value === 'string' && ACCEPTED.includes(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isRule(rule: Rule | Condition): rule is Rule {
  return !('rules' in rule);
}

// ── Reading ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Reads a display condition from JSON that nobody has checked. Its shape only: whether the fields and
 * values make sense is `checkConditions`.
 *
 * @returns the condition, or every fault with its path inside the JSON.
 */
export function parseCondition(json: unknown): { condition: Condition } | { faults: ConditionFault[] } {
  const faults: ConditionFault[] = [];
  let ruleCount = 0;

  function fault(path: ConditionFault['path'], message: string): null {
    faults.push({ path, message });
    return null;
  }

  function readCondition(value: unknown, path: ConditionFault['path'], depth: number): Condition | null {
    if (depth > MAX_DEPTH) return fault(path, `Conditions may be nested ${MAX_DEPTH} deep at most.`);
    if (!isRecord(value)) return fault(path, 'A condition is an object with "match" and "rules".');
    const match = value.match === 'all' || value.match === 'any' ? value.match : null;
    if (match === null) fault([...path, 'match'], 'Expected "all" or "any".');
    if (!Array.isArray(value.rules) || value.rules.length === 0) {
      return fault([...path, 'rules'], 'Expected at least one rule.');
    }
    ruleCount += value.rules.length;
    if (ruleCount > MAX_RULES) return fault([...path, 'rules'], `Expected ${MAX_RULES} rules at most.`);
    const rules = value.rules.map((rule: unknown, index) => {
      const rulePath = [...path, 'rules', index];
      return isRecord(rule) && ('rules' in rule || 'match' in rule)
        ? readCondition(rule, rulePath, depth + 1)
        : readRule(rule, rulePath);
    });
    return match && rules.every((rule) => rule !== null) ? { match, rules } : null;
  }

  function readRule(rule: unknown, path: ConditionFault['path']): Rule | null {
    if (!isRecord(rule)) return fault(path, 'A rule is an object with "field", "operator" and "value".');
    const operator = OPERATORS.find((known) => known === rule.operator);
    const field = typeof rule.field === 'string' && rule.field !== '' ? rule.field : null;
    if (field === null) fault([...path, 'field'], 'Expected the name of a field.');
    if (!operator) return fault([...path, 'operator'], `Expected one of ${OPERATORS.join(', ')}.`);
    const value = rule.value ?? undefined;
    const valuePath = [...path, 'value'];
    if (EMPTY_OPERATORS.includes(operator)) {
      if (value !== undefined) return fault(valuePath, `"${operator}" takes no value.`);
      return field === null ? null : { field, operator };
    }
    if (LIST_OPERATORS.includes(operator)) {
      if (!Array.isArray(value) || value.length === 0 || !value.every(isScalar)) {
        return fault(valuePath, `"${operator}" takes a list of texts, numbers or booleans.`);
      }
      return field === null ? null : { field, operator, value };
    }
    if (!isScalar(value)) return fault(valuePath, `"${operator}" takes a text, a number or a boolean.`);
    return field === null ? null : { field, operator, value };
  }

  const condition = readCondition(json, [], 1);
  return condition ? { condition } : { faults };
}

// ── Checking ─────────────────────────────────────────────────────────────────────────────────────

/** Why a rule cannot be asked of its driver, or null. */
function ruleFault(rule: Rule, driver: ConditionalField): { at: string; message: string } | null {
  const isChoice = CHOICE_TYPES.includes(driver.type) && driver.options.length > 0;
  if (ORDER_OPERATORS.includes(rule.operator) && !ORDERED_TYPES.includes(driver.type)) {
    return { at: 'operator', message: `"${rule.operator}" compares numbers, dates and times only.` };
  }
  if (rule.operator === 'contains' && [...ORDERED_TYPES, 'consent'].includes(driver.type)) {
    return { at: 'operator', message: `"contains" does not apply to a field of type ${driver.type}.` };
  }
  for (const value of [rule.value ?? []].flat()) {
    if (ORDERED_TYPES.includes(driver.type) && comparable(driver.type, value) === null) {
      return { at: 'value', message: `"${value}" is no ${driver.type}.` };
    }
    if (isChoice && !driver.options.some((option) => option.value === String(value))) {
      return { at: 'value', message: `"${value}" is not among the options of "${driver.name}".` };
    }
  }
  return null;
}

function driversOf(condition: Condition | null): string[] {
  return (condition?.rules ?? []).flatMap((rule) => (isRule(rule) ? [rule.field] : driversOf(rule)));
}

/** The shortest way along drivers from a field back to itself, or null. */
function findCircle(start: string, drivers: Map<string, string[]>): string[] | null {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const driver of drivers.get(way.at(-1)!) ?? []) {
      if (driver === start) return [...way, start];
      if (!seen.has(driver)) ways.push([...way, driver]);
      seen.add(driver);
    }
  }
  return null;
}

/**
 * Checks the display conditions of a form before it is saved: unknown fields, circles, operators and
 * values that do not fit the type of their field.
 *
 * @returns every fault, its path starting at the list of fields: `[2, 'visibility', 'rules', 0, 'field']`.
 */
export function checkConditions(fields: readonly ConditionalField[]): ConditionFault[] {
  const faults: ConditionFault[] = [];
  const byName = new Map(fields.map((field) => [field.name, field]));
  const drivers = new Map(fields.map((field) => [field.name, driversOf(field.visibility)]));

  function checkRules(condition: Condition, path: ConditionFault['path']): void {
    for (const [index, rule] of condition.rules.entries()) {
      const rulePath = [...path, 'rules', index];
      if (!isRule(rule)) {
        checkRules(rule, rulePath);
        continue;
      }
      const driver = byName.get(rule.field);
      if (!driver) {
        faults.push({ path: [...rulePath, 'field'], message: `The form has no field "${rule.field}".` });
        continue;
      }
      const found = ruleFault(rule, driver);
      if (found) faults.push({ path: [...rulePath, found.at], message: found.message });
    }
  }

  for (const [index, field] of fields.entries()) {
    if (!field.visibility) continue;
    checkRules(field.visibility, [index, 'visibility']);
    const circle = findCircle(field.name, drivers);
    if (circle) {
      faults.push({
        path: [index, 'visibility'],
        message: `Display conditions run in a circle: ${circle.join(' → ')}.`,
      });
    }
  }
  return faults;
}

// ── Evaluating ───────────────────────────────────────────────────────────────────────────────────

/** A value as the text that comparisons use; empty when there is none, or none of that type. */
function comparedText(type: string, value: unknown): string {
  if (type === 'consent') return isAccepted(value) ? '1' : '';
  if (!isScalar(value)) return '';
  const text = String(value).slice(0, MAX_COMPARED_LENGTH).replaceAll('\r\n', '\n').trim();
  return type === 'number' ? String(comparable(type, text) ?? text) : text;
}

/** A value on the scale of its type: numbers as they are, days and milliseconds; null if it is not on it. */
function comparable(type: string, value: Scalar): number | null {
  const text = String(value).slice(0, 100).trim();
  if (type === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) + 0 : null;
  if (type === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  if (type === 'time' && !/^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return null;
  const instant = Date.parse(type === 'date' ? `${text}T00:00Z` : `1970-01-01T${text}Z`);
  return Number.isNaN(instant) ? null : instant;
}

/** Whether a rule holds for the texts of its driver. Of several values one is enough. */
function holds(rule: Rule, driver: ConditionalField, texts: readonly string[]): boolean {
  const wanted = [rule.value ?? []].flat().map((value) => comparedText(driver.type, value));
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
    const texts = [value].flat().map((item) => comparedText(field.type, item));
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
