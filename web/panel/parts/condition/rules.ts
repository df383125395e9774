import {
  EMPTY_OPERATORS,
  isComparedBy,
  LIST_OPERATORS,
} from '../../../../src/forms/definition/condition-checks.js';
import {
  type Condition,
  isRule,
  OPERATORS,
  type Operator,
  type Rule,
} from '../../../../src/forms/definition/conditions.js';
import type { FieldDefinition } from '../../../../src/forms/definition/form-definition.js';
import { isSwitch } from '../../../../src/forms/validation/sent-value.js';

export type { Condition, Operator, Rule };

/** A field that conditions may read, with the texts by which it is known. */
export type Driver = Pick<FieldDefinition, 'name' | 'type' | 'label' | 'isMultiple'> &
  Readonly<{ visibility: Condition | null; options: readonly Readonly<{ value: string; label: string }>[] }>;

/** How the value of a rule is entered. */
type ValueKind = 'none' | 'one' | 'several';

/** How many values an operator compares with. */
export function valueKind(operator: Operator): ValueKind {
  if (EMPTY_OPERATORS.includes(operator)) return 'none';
  return LIST_OPERATORS.includes(operator) ? 'several' : 'one';
}

/** The operators to choose from for a driver: a box is ticked or it is not. */
export function operatorsFor(driver: Driver): readonly Operator[] {
  if (isSwitch(driver)) return ['is_not_empty', 'is_empty'];
  const hasOptions = driver.options.length > 0;
  return OPERATORS.filter(
    (operator) => isComparedBy(operator, driver) && !(operator === 'contains' && hasOptions),
  );
}

/** The values of a rule as texts. */
export const valuesOf = ({ value }: Rule): string[] => [value ?? []].flat().map(String);

const FIRST_VALUES: Partial<Record<Driver['type'], string>> = {
  number: '0',
  date: '2026-01-01',
  time: '12:00',
};

/** A value that a rule about a driver may begin with. */
const firstValue = ({ type, options }: Driver): string => options[0]?.value ?? FIRST_VALUES[type] ?? '';

/** Gives a rule another operator; its values stay as far as the operator takes them. */
export function withOperator({ field, ...rule }: Rule, operator: Operator, driver: Driver): Rule {
  const [first = firstValue(driver), ...others] = valuesOf({ field, ...rule });
  switch (valueKind(operator)) {
    case 'none':
      return { field, operator };
    case 'one':
      return { field, operator, value: first };
    case 'several':
      return { field, operator, value: [first, ...others] };
  }
}

/** A rule about a driver as it is added: that it is its first option, ticked, or filled in. */
export function newRule(driver: Driver): Rule {
  const operator = driver.options.length > 0 ? 'equals' : 'is_not_empty';
  return withOperator({ field: driver.name, operator }, operator, driver);
}

/** Where a rule or a condition stands within a condition: positions from the outside in. */
export type RulePath = readonly number[];

/** Changes what stands at a path of a condition; null removes it, and with its last rule the condition around it. */
export function changeAt(
  condition: Condition,
  path: RulePath,
  change: (at: Rule | Condition) => Rule | Condition | null,
): Condition | null {
  const [index, ...rest] = path;
  if (index === undefined) return change(condition) as Condition | null;
  const rules = condition.rules.flatMap((rule, position) => {
    if (position !== index) return rule;
    if (rest.length === 0) return change(rule) ?? [];
    return isRule(rule) ? rule : (changeAt(rule, rest, change) ?? []);
  });
  return rules.length > 0 ? { ...condition, rules } : null;
}
