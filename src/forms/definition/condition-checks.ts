import { isObject } from '../../lib/is-object.js';
import { isLongerThan } from '../../lib/text/characters.js';
import { isChoice, isSwitch, type ReadableField } from '../validation/sent-value.js';
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

/** A fault in a display condition, with its path: keys and indexes from the value that was checked. */
export interface ConditionFault {
  path: Array<string | number>;
  message: string;
}

/** How deep conditions may be nested. */
export const MAX_DEPTH = 5;
const MAX_RULES = 100;
/** Maximum length of a rule's value: that of an option's value, so a longer one could never match. */
const MAX_VALUE_LENGTH = 255;
/**
 * Maximum cost of all conditions of a form, in comparisons. A rule with a list costs one for each of its values. A rule
 * that searches texts is weighted by how much longer a search takes than a lookup.
 */
const MAX_COMPARISONS = 1_000;
const COMPARISONS_OF_SEARCH = 20;

const ORDERED_TYPES = ['number', 'date', 'time'];
/** Operators that take a list of values. */
export const LIST_OPERATORS: readonly Operator[] = ['in', 'not_in'];
/** Operators that take no value. */
export const EMPTY_OPERATORS: readonly Operator[] = ['is_empty', 'is_not_empty'];
const ORDER_OPERATORS: readonly Operator[] = ['gt', 'gte', 'lt', 'lte'];

/**
 * Parses a display condition from unchecked JSON. Only its shape is validated; `checkConditions` checks
 * whether its fields and values make sense.
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
    if (!isObject(value)) return fault(path, 'A condition is an object with "match" and "rules".');
    const match = value.match === 'all' || value.match === 'any' ? value.match : null;
    if (match === null) fault([...path, 'match'], 'Expected "all" or "any".');
    if (!Array.isArray(value.rules) || value.rules.length === 0) {
      return fault([...path, 'rules'], 'Expected at least one rule.');
    }
    ruleCount += value.rules.length;
    if (ruleCount > MAX_RULES) return fault([...path, 'rules'], `Expected ${MAX_RULES} rules at most.`);
    const rules = value.rules.map((rule: unknown, index) => {
      const rulePath = [...path, 'rules', index];
      return isObject(rule) && ('rules' in rule || 'match' in rule)
        ? readCondition(rule, rulePath, depth + 1)
        : readRule(rule, rulePath);
    });
    return match && rules.every((rule) => rule !== null) ? { match, rules } : null;
  }

  function readRule(rule: unknown, path: ConditionFault['path']): Rule | null {
    if (!isObject(rule)) return fault(path, 'A rule is an object with "field", "operator" and "value".');
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
    if ([value].flat().some((item) => typeof item === 'string' && isLongerThan(item, MAX_VALUE_LENGTH))) {
      return fault(valuePath, `A value has ${MAX_VALUE_LENGTH} characters at most.`);
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

/** Whether a driver's value can be compared by an operator. */
export function isComparedBy(operator: Operator, driver: ReadableField): boolean {
  const isOrdered = ORDERED_TYPES.includes(driver.type);
  if (ORDER_OPERATORS.includes(operator)) return isOrdered;
  return operator !== 'contains' || !(isOrdered || isSwitch(driver));
}

/** Explains why a rule does not apply to its driver; null when it does. */
function ruleFault(
  rule: Rule,
  driver: ConditionalField,
  offered: ReadonlySet<string>,
): { at: string; message: string } | null {
  const hasOptions = isChoice(driver.type) && driver.options.length > 0;
  if (!isComparedBy(rule.operator, driver)) {
    const message = ORDER_OPERATORS.includes(rule.operator)
      ? `"${rule.operator}" compares numbers, dates and times only.`
      : `"contains" does not apply to a field of type ${driver.type}.`;
    return { at: 'operator', message };
  }
  for (const value of [rule.value ?? []].flat()) {
    if (ORDERED_TYPES.includes(driver.type) && comparable(driver.type, value) === null) {
      return { at: 'value', message: `"${value}" is no ${driver.type}.` };
    }
    if (hasOptions && !offered.has(String(value))) {
      return { at: 'value', message: `"${value}" is not among the options of "${driver.name}".` };
    }
  }
  return null;
}

function comparisonsOf({ rules }: Condition): number {
  const countOf = (rule: Rule | Condition) => {
    if (!isRule(rule)) return comparisonsOf(rule);
    return rule.operator === 'contains'
      ? COMPARISONS_OF_SEARCH
      : Math.max(1, [rule.value ?? []].flat().length);
  };
  return rules.reduce((total, rule) => total + countOf(rule), 0);
}

/** Lists the names of the fields that a condition reads, once for each rule. */
export function driversOf(condition: Condition | null): string[] {
  return (condition?.rules ?? []).flatMap((rule) => (isRule(rule) ? [rule.field] : driversOf(rule)));
}

/** Lists the fields that a condition of a field may read: not itself, nor one that depends on it. */
export function possibleDrivers<Field extends ConditionalField>(
  fields: readonly Field[],
  name: string,
): Field[] {
  const dependents = new Set([name]);
  // A set visits what is added while it is walked through.
  for (const driver of dependents) {
    for (const field of fields) if (driversOf(field.visibility).includes(driver)) dependents.add(field.name);
  }
  return fields.filter((field) => !dependents.has(field.name));
}

/** Narrows the driver graph to fields that may lie on or lead to a cycle, by pruning dead ends repeatedly. */
function onCycles(drivers: ReadonlyMap<string, readonly string[]>): Map<string, readonly string[]> {
  const dependents = new Map([...drivers.keys()].map((field): [string, string[]] => [field, []]));
  const open = new Map<string, number>();
  for (const [field, ofField] of drivers) {
    const known = ofField.filter((driver) => drivers.has(driver));
    open.set(field, known.length);
    for (const driver of known) dependents.get(driver)?.push(field);
  }
  const free = [...open.keys()].filter((field) => open.get(field) === 0);
  for (const field of free) {
    for (const dependent of dependents.get(field) ?? []) {
      const left = open.get(dependent)! - 1;
      open.set(dependent, left);
      if (left === 0) free.push(dependent);
    }
  }
  const rest = new Map(drivers);
  for (const field of free) rest.delete(field);
  return rest;
}

/** Finds the shortest cycle through a field along its drivers; null when there is none. */
function findCycle(start: string, drivers: ReadonlyMap<string, readonly string[]>): string[] | null {
  /** The predecessor of each field that the breadth-first search has reached, in order of distance. */
  const reached = new Map<string, string | null>([[start, null]]);
  for (const [field] of reached) {
    for (const driver of drivers.get(field) ?? []) {
      if (driver === start) return [...pathTo(field, reached), start];
      if (!reached.has(driver)) reached.set(driver, field);
    }
  }
  return null;
}

function pathTo(field: string, reached: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null = field; at !== null; at = reached.get(at) ?? null) path.push(at);
  return path.reverse();
}

/** Describes a cycle in words; a long one is shortened to its beginning and its end. */
const cycleText = (cycle: readonly string[]): string =>
  (cycle.length <= 10 ? cycle : [...cycle.slice(0, 8), '…', ...cycle.slice(-1)]).join(' → ');

const TOO_MANY_COMPARISONS = `The conditions of a form compare ${MAX_COMPARISONS.toLocaleString('en')} values at most.`;

/** Creates the check of a condition's rules against the fields that they compare. */
function createRulesCheck(fields: readonly ConditionalField[]) {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const offered = new Map(
    fields.map(({ name, options }) => [name, new Set(options.map(({ value }) => value))]),
  );
  return function checkRules(condition: Condition, path: ConditionFault['path']): ConditionFault[] {
    return condition.rules.flatMap((rule, index): ConditionFault[] => {
      const rulePath = [...path, 'rules', index];
      if (!isRule(rule)) return checkRules(rule, rulePath);
      const driver = byName.get(rule.field);
      if (!driver)
        return [{ path: [...rulePath, 'field'], message: `The form has no field "${rule.field}".` }];
      const found = ruleFault(rule, driver, offered.get(rule.field)!);
      return found ? [{ path: [...rulePath, found.at], message: found.message }] : [];
    });
  };
}

/**
 * Checks conditions on the fields of a form that show no field, as `checkConditions` does those that show one.
 *
 * @returns every fault, its path starting at the list of conditions.
 */
export function checkOtherConditions(
  conditions: readonly Condition[],
  fields: readonly ConditionalField[],
): ConditionFault[] {
  const checkRules = createRulesCheck(fields);
  let comparisons = 0;
  return conditions.flatMap((condition, index): ConditionFault[] => {
    const before = comparisons;
    comparisons += comparisonsOf(condition);
    if (comparisons <= MAX_COMPARISONS) return checkRules(condition, [index]);
    return before <= MAX_COMPARISONS ? [{ path: [index], message: TOO_MANY_COMPARISONS }] : [];
  });
}

/**
 * Checks the display conditions of a form before it is saved: unknown fields, cycles, operators and
 * values that do not fit the type of their field.
 *
 * @returns every fault, its path starting at the list of fields: `[2, 'visibility', 'rules', 0, 'field']`.
 */
export function checkConditions(fields: readonly ConditionalField[]): ConditionFault[] {
  const checkRules = createRulesCheck(fields);
  const faults: ConditionFault[] = [];
  const drivers = new Map(fields.map((field) => [field.name, [...new Set(driversOf(field.visibility))]]));
  const circular = onCycles(drivers);
  /** Fields whose cycle has been reported at another of its fields. */
  const reported = new Set<string>();
  let comparisons = 0;

  for (const [index, field] of fields.entries()) {
    if (!field.visibility) continue;
    comparisons += comparisonsOf(field.visibility);
    if (comparisons > MAX_COMPARISONS) {
      return [...faults, { path: [index, 'visibility'], message: TOO_MANY_COMPARISONS }];
    }
    faults.push(...checkRules(field.visibility, [index, 'visibility']));
    const cycle = reported.has(field.name) ? null : findCycle(field.name, circular);
    if (cycle) {
      for (const name of cycle) reported.add(name);
      faults.push({
        path: [index, 'visibility'],
        message: `Display conditions run in a circle: ${cycleText(cycle)}.`,
      });
    }
  }
  return faults;
}
