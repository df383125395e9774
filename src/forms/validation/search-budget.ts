import { type Condition, type ConditionalField, isRule, type Rule } from '../definition/conditions.js';
import { sentItems } from './sent-value.js';

/** Maximum UTF-16 code units of a text that V8 finds in linear time: those that its Boyer-Moore tables cover. */
const LINEAR_LENGTH = 250;

/** Of a longer text V8 may compare every unit at each position: so many take as long as a step. */
const UNITS_OF_STEP = 10;

/** Fixed cost of a search in one value, in steps; a step is one code unit that is searched. */
const STEPS_OF_SEARCH = 20;

/**
 * Budget of one submission, in steps. A step takes up to 5 ns, so this is 5 ms. Fifty rules that search a text of
 * 10,000 characters take half of it.
 */
const STEPS_OF_SUBMISSION = 1_000_000;

/** Lists the rules of a condition that search texts. */
const searchesOf = ({ rules }: Condition): Rule[] =>
  rules.flatMap((rule) => (isRule(rule) ? (rule.operator === 'contains' ? [rule] : []) : searchesOf(rule)));

/**
 * Finds the field whose value would take the conditions of a form too long to search. A tenant chooses what is searched
 * for and a visitor the text, so the searches share a budget. It counts work, not time.
 *
 * @param values Field name to value, as sent or recorded.
 * @param routing The conditions that choose the recipients, which are evaluated with those of the fields.
 * @returns null when all of them can be evaluated.
 */
export function costlyDriver(
  fields: readonly ConditionalField[],
  values: Readonly<Record<string, unknown>>,
  routing: readonly Condition[],
): string | null {
  const conditions = [...fields.flatMap(({ visibility }) => visibility ?? []), ...routing];
  const searches = conditions.flatMap(searchesOf);
  if (searches.length === 0) return null;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const sizes = new Map<string, { items: number; length: number }>();

  function sizeOf(field: ConditionalField): { items: number; length: number } {
    const sent = Object.hasOwn(values, field.name) ? sentItems(field, values[field.name]) : [];
    const length = sent.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0);
    return { items: sent.length, length };
  }

  let steps = 0;
  for (const { field: name, value } of searches) {
    const field = byName.get(name);
    // A choice is looked up among the options.
    if (!field || field.options.length > 0) continue;
    const { items, length } = sizes.get(name) ?? sizeOf(field);
    sizes.set(name, { items, length });
    const searched = String(value).length;
    const stepsOfUnit = searched > LINEAR_LENGTH ? searched / UNITS_OF_STEP : 1;
    steps += items * STEPS_OF_SEARCH + length * stepsOfUnit;
    if (steps > STEPS_OF_SUBMISSION) return name;
  }
  return null;
}
