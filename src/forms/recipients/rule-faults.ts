import { type ConditionFault, checkOtherConditions } from '../definition/condition-checks.js';
import type { ConditionalField } from '../definition/conditions.js';
import type { RecipientRule } from './recipient-rules.js';

/**
 * Checks recipient rules against the fields of their form. @returns faults, their paths starting at the list of rules.
 */
export const recipientRuleFaults = (
  rules: readonly RecipientRule[],
  fields: readonly ConditionalField[],
): ConditionFault[] =>
  checkOtherConditions(
    rules.map(({ when }) => when),
    fields,
  ).map(({ path: [index, ...rest], message }) => ({ path: [index!, 'when', ...rest], message }));
