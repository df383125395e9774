import { isChoice, isSwitch } from '../validation/sent-value.js';
import {
  type Condition,
  type ConditionalField,
  comparable,
  isRule,
  isScalar,
  OPERATORS,
  type Operator,
  type Rule,
} from './conditions.js';

/** Something wrong, and where: keys and indexes from the value that was checked. */
export interface ConditionFault {
  path: Array<string | number>;
  message: string;
}

const MAX_DEPTH = 5;
const MAX_RULES = 100;

const ORDERED_TYPES = ['number', 'date', 'time'];
const LIST_OPERATORS: Operator[] = ['in', 'not_in'];
const EMPTY_OPERATORS: Operator[] = ['is_empty', 'is_not_empty'];
const ORDER_OPERATORS: Operator[] = ['gt', 'gte', 'lt', 'lte'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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

/** Why a rule cannot be asked of its driver, or null. */
function ruleFault(rule: Rule, driver: ConditionalField): { at: string; message: string } | null {
  const hasOptions = isChoice(driver.type) && driver.options.length > 0;
  if (ORDER_OPERATORS.includes(rule.operator) && !ORDERED_TYPES.includes(driver.type)) {
    return { at: 'operator', message: `"${rule.operator}" compares numbers, dates and times only.` };
  }
  if (rule.operator === 'contains' && (ORDERED_TYPES.includes(driver.type) || isSwitch(driver))) {
    return { at: 'operator', message: `"contains" does not apply to a field of type ${driver.type}.` };
  }
  for (const value of [rule.value ?? []].flat()) {
    if (ORDERED_TYPES.includes(driver.type) && comparable(driver.type, value) === null) {
      return { at: 'value', message: `"${value}" is no ${driver.type}.` };
    }
    if (hasOptions && !driver.options.some((option) => option.value === String(value))) {
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
