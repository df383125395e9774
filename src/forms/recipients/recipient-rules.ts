/*
 * Decides the recipients of a submission's e-mail by its answers. Server and panel share this module, so it stays pure.
 */

import { driversOf } from '../definition/condition-checks.js';
import { type Condition, type ConditionalField, visibleFields } from '../definition/conditions.js';

/** Sends the e-mail about a submission to these addresses when its answers meet the condition. */
export interface RecipientRule {
  when: Condition;
  recipients: string[];
}

/** Maximum number of rules of a form, and of a placement. */
export const MAX_RECIPIENT_RULES = 20;

/** Whose rules decide: those of the form, or of its placement on one website. */
export const RuleScope = { form: 'form', placement: 'placement' } as const;

export type RuleScope = keyof typeof RuleScope;

/** A rule that a submission matched: its position among the rules of that time, and the addresses that it added. */
export type MatchedRule = Readonly<{
  scope: RuleScope;
  index: number;
  when: Condition;
  recipients: readonly string[];
}>;

/** The rules of a form and of its placement; each list may be empty. */
export type RecipientRules = Readonly<Record<RuleScope, readonly RecipientRule[]>>;

/** Recipients that were configured, before any answer decides. */
type Configured = Readonly<{ recipients: readonly string[]; recipientRules: readonly RecipientRule[] }>;

/** A recipient, with the rule that chose it; null: no rule matched, and it is a default. */
export type ChosenRecipient = Readonly<{
  address: string;
  rule: Pick<MatchedRule, 'scope' | 'index' | 'when'> | null;
}>;

/** Names the placeholder field of a rule; no field of a form has a blank in its name. */
const placeholder = (index: number): string => `rule ${index}`;

/** Finds the positions of the rules whose condition holds. One that names a field that the form lacks never does. */
function positionsOfMatches(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
  rules: readonly RecipientRule[],
): number[] {
  const known = new Set(fields.map(({ name }) => name));
  // Each condition is evaluated as that of one more field, so that it holds exactly when such a field would be shown.
  const placeholders = rules.flatMap(({ when }, index) =>
    driversOf(when).every((name) => known.has(name))
      ? [{ name: placeholder(index), type: 'hidden', isMultiple: false, options: [], visibility: when }]
      : [],
  );
  const shown = visibleFields([...fields, ...placeholders], values);
  return [...rules.keys()].filter((index) => shown.has(placeholder(index)));
}

/** Returns the rules that decide: those of the placement if it has any, else those of the form. */
export const decidingRules = ({ form, placement }: RecipientRules): readonly RecipientRule[] =>
  placement.length > 0 ? placement : form;

/**
 * Finds the rules that a submission matches, in their order: the placement's if it has any, else the form's. An address
 * that several of them name belongs to the first.
 *
 * @param values Field name to value, as recorded or as entered; hidden fields count as empty.
 * @returns none when the default recipients get the e-mail.
 */
export function matchedRules(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
  ruled: RecipientRules,
): MatchedRule[] {
  const rules = decidingRules(ruled);
  const scope = rules === ruled.placement ? RuleScope.placement : RuleScope.form;
  if (rules.length === 0) return [];
  const chosen = new Set<string>();
  return positionsOfMatches(fields, values, rules).flatMap((index) => {
    const { when, recipients } = rules[index]!;
    const added = recipients.filter((address) => {
      const key = address.toLowerCase();
      return !chosen.has(key) && chosen.add(key);
    });
    return added.length > 0 ? [{ scope, index, when, recipients: added }] : [];
  });
}

/**
 * Decides the recipients of the e-mail about a submission: those of every rule that it matches, else the placement's,
 * else the form's, else the website's address, which may be blank.
 *
 * @param placement Null: the form is considered on no website.
 */
export function recipientsOf(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
  { form, placement, email }: Readonly<{ form: Configured; placement: Configured | null; email: string }>,
): ChosenRecipient[] {
  const rules = { form: form.recipientRules, placement: placement?.recipientRules ?? [] };
  const matched = matchedRules(fields, values, rules);
  if (matched.length > 0) {
    return matched.flatMap(({ recipients, ...rule }) => recipients.map((address) => ({ address, rule })));
  }
  const defaults = [placement?.recipients ?? [], form.recipients, [email]].find(({ length }) => length > 0)!;
  return defaults.filter((address) => address.trim() !== '').map((address) => ({ address, rule: null }));
}
