import { type Condition, isRule, type Rule } from '../../../../../src/forms/definition/conditions.js';
import { NEEDING_OPTIONS } from '../../../../../src/forms/definition/form-faults.js';
import { type Beside, moved } from '../../../parts/moved.js';
import type { FieldDraft, FormDraft } from '../form-draft.js';
import { type FieldType, isOfOtherType, isSeen, takesOptions, takesSeveral } from './attributes.js';

/*
 * The changes of a form's fields. Each returns a new draft in which every field that did not change is the same object.
 */

export type Recipe = (draft: FormDraft) => FormDraft;

const withFields =
  (change: (fields: readonly FieldDraft[]) => readonly FieldDraft[]): Recipe =>
  (draft) => ({ ...draft, fields: change(draft.fields) });

const mapFields = (change: (field: FieldDraft) => FieldDraft): Recipe =>
  withFields((fields) => fields.map(change));

/** A choice as it is added. */
export type Option = FieldDraft['options'][number];

export const newOption = (value: string, label: string): Option => ({ value, label, translations: [] });

/** A field as it is added. */
export const newField = (
  type: FieldType,
  { name, label, options }: Pick<FieldDraft, 'name' | 'label' | 'options'>,
): FieldDraft => ({
  name,
  type,
  label,
  isRequired: type === 'consent',
  showLabel: true,
  isMultiple: false,
  placeholder: null,
  helpText: null,
  linkUrl: null,
  options: NEEDING_OPTIONS.includes(type) ? options : [],
  attributes: {},
  visibility: null,
  translations: [],
});

/** Adds a field behind another one, else at the end. */
export const addField = (field: FieldDraft, behind?: string): Recipe =>
  withFields((fields) => {
    const at = fields.findIndex(({ name }) => name === behind);
    return at < 0 ? [...fields, field] : fields.toSpliced(at + 1, 0, field);
  });

/** Changes a field, all but its name. */
export const changeField = (name: string, change: (field: FieldDraft) => FieldDraft): Recipe =>
  mapFields((field) => (field.name === name ? change(field) : field));

/** Rewrites the rules of a condition; null removes one, and with its last rule the condition. */
function mapRules(condition: Condition | null, change: (rule: Rule) => Rule | null): Condition | null {
  if (!condition) return null;
  const rules = condition.rules.flatMap(
    (rule) => (isRule(rule) ? change(rule) : mapRules(rule, change)) ?? [],
  );
  if (rules.length === 0) return null;
  const isSame =
    rules.length === condition.rules.length && rules.every((rule, i) => rule === condition.rules[i]);
  return isSame ? condition : { ...condition, rules };
}

function withRules(field: FieldDraft, change: RuleChange): FieldDraft {
  const visibility = mapRules(field.visibility, change);
  return visibility === field.visibility ? field : { ...field, visibility };
}

type RuleChange = (rule: Rule) => Rule | null;

/** Rewrites the rules of all conditions: those of the fields, and those that choose recipients. */
const mapConditions =
  (change: RuleChange): Recipe =>
  (draft) => {
    const recipientRules = draft.recipientRules.flatMap((rule) => {
      const when = mapRules(rule.when, change);
      if (when === rule.when) return rule;
      return when ? { ...rule, when } : [];
    });
    const isSame =
      recipientRules.length === draft.recipientRules.length &&
      recipientRules.every((rule, index) => rule === draft.recipientRules[index]);
    return {
      ...draft,
      fields: draft.fields.map((field) => withRules(field, change)),
      recipientRules: isSame ? draft.recipientRules : recipientRules,
    };
  };

/** Renames a field, in all conditions as well. */
export const renameField =
  (from: string, to: string): Recipe =>
  (draft) => {
    const renamed = changeField(from, (field) => ({ ...field, name: to }))(draft);
    return mapConditions((rule) => (rule.field === from ? { ...rule, field: to } : rule))(renamed);
  };

function ofType(field: FieldDraft, type: FieldType, options: readonly Option[]): FieldDraft {
  const kept = takesOptions(type) ? field.options : [];
  const offered = kept.length === 0 && NEEDING_OPTIONS.includes(type) ? [...options] : kept;
  return {
    ...field,
    type,
    options: offered,
    isMultiple: field.isMultiple && takesSeveral({ type, options: offered }),
    isRequired: field.isRequired && isSeen(type),
    attributes: Object.fromEntries(
      Object.entries(field.attributes).filter(([attribute]) => !isOfOtherType(attribute, type)),
    ),
  };
}

/** Gives a field another type. What the type does not have is dropped, and the options that it needs are added. */
export const changeType = (name: string, type: FieldType, options: readonly Option[]): Recipe =>
  changeField(name, (field) => ofType(field, type, options));

/** Tells what `changeType` drops of a field: how many options, and whether it drops anything at all. */
export function findDropped(field: FieldDraft, type: FieldType): { options: number; isAny: boolean } {
  const { isMultiple, isRequired, attributes } = ofType(field, type, []);
  const options = takesOptions(type) ? 0 : field.options.length;
  const isAny =
    options > 0 ||
    isMultiple !== field.isMultiple ||
    isRequired !== field.isRequired ||
    Object.keys(attributes).length < Object.keys(field.attributes).length;
  return { options, isAny };
}

/** Sets an attribute, whose value may be empty as in HTML; null removes it. */
export const setAttribute = (name: string, attribute: string, value: string | null): Recipe =>
  changeField(name, (field) => {
    const { [attribute]: _, ...others } = field.attributes;
    return { ...field, attributes: value === null ? others : { ...field.attributes, [attribute]: value } };
  });

/** Changes the options of a field. */
export const changeOptions = (
  name: string,
  change: (options: readonly Option[]) => readonly Option[],
): Recipe =>
  changeField(name, (field) => {
    const options = [...change(field.options)];
    return { ...field, options, isMultiple: field.isMultiple && takesSeveral({ type: field.type, options }) };
  });

/** Gives an option another value, in all conditions that compare with it as well. */
export const renameOption = (name: string, from: string, to: string): Recipe => {
  const renamed = <Value>(value: Value): Value | string => (value === from ? to : value);
  return (draft) => {
    const changed = changeOptions(name, (options) =>
      options.map((option) => (option.value === from ? { ...option, value: to } : option)),
    )(draft);
    return mapConditions((rule) => {
      if (rule.field !== name || rule.value === undefined) return rule;
      if (![rule.value].flat().includes(from)) return rule;
      return { ...rule, value: Array.isArray(rule.value) ? rule.value.map(renamed) : renamed(rule.value) };
    })(changed);
  };
};

/** Gives a copy of a field another name, behind it. */
export const duplicateField = (name: string, copy: string): Recipe =>
  withFields((fields) => {
    const at = fields.findIndex((field) => field.name === name);
    return at < 0 ? fields : fields.toSpliced(at + 1, 0, { ...fields[at]!, name: copy });
  });

/** Removes a field, and the rules of all conditions that read it. */
export const removeField =
  (name: string): Recipe =>
  (draft) => {
    const left = withFields((fields) => fields.filter((field) => field.name !== name))(draft);
    return mapConditions((rule) => (rule.field === name ? null : rule))(left);
  };

/** A field that was removed: the draft around it, before and after. */
export type Removed = Readonly<{
  field: FieldDraft;
  before: FormDraft;
  after: FormDraft;
  /** How many conditions read it. */
  conditions: number;
}>;

/** Tells what `removeField` takes away; null when the draft has no such field. */
export function findRemoved(before: FormDraft, name: string): Removed | null {
  const field = before.fields.find((one) => one.name === name);
  if (!field) return null;
  const after = removeField(name)(before);
  const left = new Map(after.fields.map((one) => [one.name, one]));
  const readers = before.fields.filter((one) => one !== field && left.get(one.name) !== one);
  const rules = before.recipientRules.filter((rule) => !after.recipientRules.includes(rule));
  return { field, before, after, conditions: readers.length + rules.length };
}

/** Moves fields beside another one. */
export const moveFields = (names: ReadonlySet<string>, to: Beside): Recipe =>
  withFields((fields) => moved(fields, ({ name }) => name, names, to));
