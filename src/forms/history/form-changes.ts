import { isDeepStrictEqual } from 'node:util';
import type { FormContent } from '../definition/form.mapper.js';
import type { FieldDefinition, FieldTranslation } from '../definition/form-definition.js';
import { FIELD_TEXT_NAMES, FORM_TEXT_NAMES } from '../definition/form-texts.js';
import { movedKeys } from './moves.js';

/** What is kept of a form with each version: all but what identifies it. */
export type KeptForm = Omit<FormContent, 'slug' | 'version'>;

export const CHANGE_KINDS = [
  'setting_changed',
  'language_added',
  'language_removed',
  'field_added',
  'field_removed',
  'field_moved',
  'field_changed',
  'attribute_changed',
  'condition_changed',
  'option_added',
  'option_removed',
  'option_moved',
  'option_changed',
  'translation_changed',
] as const;

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * One difference between two versions of a form. Fields are matched by name and options by value, as saving does.
 *
 * `before` and `after` are the two values, null where there is none: the field or option that was added or removed,
 * the two positions, from 1, of what was moved, else the setting, text, attribute or condition.
 */
export interface FormChange {
  kind: ChangeKind;
  /** Name of the field; null: about the form itself. */
  field: string | null;
  /** Label of that field, the later one, in the source language. */
  fieldLabel: string | null;
  /** Value of the option of that field. */
  option: string | null;
  /** Label of that option, the later one, in the source language. */
  optionLabel: string | null;
  /** The language that was added, removed, or whose text was changed; null: the source language. */
  locale: string | null;
  /** Which setting, text or attribute, as in `label` or `maxlength`. */
  key: string | null;
  before: unknown;
  after: unknown;
}

const FORM_SETTINGS = ['name', 'active', 'sourceLocale', 'recipients', 'recipientRules'] as const;

const FIELD_SETTINGS = [
  'label',
  'type',
  'isRequired',
  'showLabel',
  'isMultiple',
  'placeholder',
  'helpText',
  'linkUrl',
] as const;

type ChangeSubject = Pick<FormChange, 'field' | 'fieldLabel' | 'option' | 'optionLabel' | 'locale'>;

const FORM: ChangeSubject = { field: null, fieldLabel: null, option: null, optionLabel: null, locale: null };

/** Compares two values of a subject; nothing when they are equal. */
function compared(
  subject: ChangeSubject,
  kind: ChangeKind,
  key: string | null,
  before: unknown,
  after: unknown,
): FormChange[] {
  const [was, is] = [before ?? null, after ?? null];
  return was === is || isDeepStrictEqual(was, is) ? [] : [{ ...subject, kind, key, before: was, after: is }];
}

/** Compares what two objects have under some keys. */
const comparedKeys = (
  subject: ChangeSubject,
  kind: ChangeKind,
  keys: readonly string[],
  before: object,
  after: object,
): FormChange[] =>
  keys.flatMap((key) => compared(subject, kind, key, ownValue(before, key), ownValue(after, key)));

const ownValue = (object: object, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;

/** The keys of two objects, those of the second one first. */
const allKeys = (before: object, after: object): string[] => [
  ...new Set([...Object.keys(after), ...Object.keys(before)]),
];

/** An untranslated text is missing, null or empty, which is all the same. */
const textOf = (texts: object | undefined, key: string): unknown => (texts && ownValue(texts, key)) || null;

/**
 * Lists the differences between two versions of a form: its settings, its languages, then field by field. It is empty
 * if and only if both are the same.
 */
export function formChanges(before: KeptForm, after: KeptForm): FormChange[] {
  const locales = allKeys(before.translations, after.translations);
  return [
    ...comparedKeys(FORM, 'setting_changed', FORM_SETTINGS, before, after),
    ...comparedKeys(FORM, 'setting_changed', FORM_TEXT_NAMES, before.texts, after.texts),
    ...locales.flatMap((locale) => languageChanges(locale, before.translations, after.translations)),
    ...fieldListChanges(before.fields, after.fields),
  ];
}

type Translations = KeptForm['translations'];

function languageChanges(locale: string, before: Translations, after: Translations): FormChange[] {
  const subject = { ...FORM, locale };
  const [was, is] = [Object.hasOwn(before, locale), Object.hasOwn(after, locale)];
  const [textsBefore, texts] = [was ? before[locale]! : {}, is ? after[locale]! : {}];
  const change = { ...subject, key: null, before: null, after: null };
  return [
    ...(is && !was ? [{ ...change, kind: 'language_added' as const }] : []),
    ...(was && !is ? [{ ...change, kind: 'language_removed' as const }] : []),
    ...translationChanges(subject, FORM_TEXT_NAMES, textsBefore, texts),
  ];
}

const translationChanges = (
  subject: ChangeSubject,
  keys: readonly string[],
  before: object | undefined,
  after: object | undefined,
): FormChange[] =>
  keys.flatMap((key) =>
    compared(subject, 'translation_changed', key, textOf(before, key), textOf(after, key)),
  );

/** What a list of fields and one of options have in common. */
type Listed<Entry> = Readonly<{
  keyOf(entry: Entry): string;
  subjectOf(entry: Entry): ChangeSubject;
  /** What is told of an entry that was added or removed. */
  whole(entry: Entry, side: 'before' | 'after'): object;
  kinds: Readonly<Record<'added' | 'removed' | 'moved', ChangeKind>>;
}>;

/** Compares two lists by their keys: the changes of each entry of the later one, then what was removed. */
function listChanges<Entry>(
  { keyOf, subjectOf, whole, kinds }: Listed<Entry>,
  before: readonly Entry[],
  after: readonly Entry[],
  within: (was: Entry, is: Entry) => FormChange[],
): FormChange[] {
  const former = new Map(before.map((entry, index) => [keyOf(entry), { entry, position: index + 1 }]));
  const present = new Set(after.map(keyOf));
  const moved = movedKeys(before.map(keyOf), after.map(keyOf));
  const changed = after.flatMap((entry, index) => {
    const was = former.get(keyOf(entry));
    const subject = subjectOf(entry);
    // A removed and an added entry leave the others in their order, so only an added one needs its position.
    if (!was) {
      const added = { position: index + 1, ...whole(entry, 'after') };
      return [{ ...subject, kind: kinds.added, key: null, before: null, after: added }];
    }
    const move = { ...subject, kind: kinds.moved, key: null, before: was.position, after: index + 1 };
    return [...(moved.has(keyOf(entry)) ? [move] : []), ...within(was.entry, entry)];
  });
  const removed = before
    .filter((entry) => !present.has(keyOf(entry)))
    .map((entry) => ({
      ...subjectOf(entry),
      kind: kinds.removed,
      key: null,
      before: whole(entry, 'before'),
      after: null,
    }));
  return [...changed, ...removed];
}

const fieldSubject = ({ name, label }: FieldDefinition): ChangeSubject => ({
  ...FORM,
  field: name,
  fieldLabel: label,
});

const fieldListChanges = (before: readonly FieldDefinition[], after: readonly FieldDefinition[]) =>
  listChanges<FieldDefinition>(
    {
      keyOf: ({ name }) => name,
      subjectOf: fieldSubject,
      whole: (field) => field,
      kinds: { added: 'field_added', removed: 'field_removed', moved: 'field_moved' },
    },
    before,
    after,
    fieldChanges,
  );

function fieldChanges(before: FieldDefinition, after: FieldDefinition): FormChange[] {
  const subject = fieldSubject(after);
  const attributes = allKeys(before.attributes, after.attributes);
  const locales = allKeys(before.translations, after.translations);
  return [
    ...comparedKeys(subject, 'field_changed', FIELD_SETTINGS, before, after),
    ...comparedKeys(subject, 'attribute_changed', attributes, before.attributes, after.attributes),
    ...compared(subject, 'condition_changed', 'visibility', before.visibility, after.visibility),
    ...optionListChanges(before, after),
    ...locales.flatMap((locale) =>
      translationChanges(
        { ...subject, locale },
        FIELD_TEXT_NAMES,
        translationOf(before, locale),
        translationOf(after, locale),
      ),
    ),
  ];
}

const translationOf = ({ translations }: FieldDefinition, locale: string): FieldTranslation | undefined =>
  Object.hasOwn(translations, locale) ? translations[locale] : undefined;

/** The label of an option in each language that has one. */
function labelsOf(field: FieldDefinition, value: string): Record<string, string> {
  const labels = Object.keys(field.translations).map((locale) => [
    locale,
    textOf(translationOf(field, locale)?.options, value),
  ]);
  return Object.fromEntries(labels.filter(([, label]) => label));
}

function optionListChanges(before: FieldDefinition, after: FieldDefinition): FormChange[] {
  type Option = FieldDefinition['options'][number];
  const subjectOf = ({ value, label }: Option) => ({
    ...fieldSubject(after),
    option: value,
    optionLabel: label,
  });
  const fields = { before, after };
  return listChanges<Option>(
    {
      keyOf: ({ value }) => value,
      subjectOf,
      whole: ({ value, label }, side) => ({ label, translations: labelsOf(fields[side], value) }),
      kinds: { added: 'option_added', removed: 'option_removed', moved: 'option_moved' },
    },
    before.options,
    after.options,
    (was, is) => {
      const subject = subjectOf(is);
      const [labelsBefore, labels] = [labelsOf(before, is.value), labelsOf(after, is.value)];
      return [
        ...compared(subject, 'option_changed', 'label', was.label, is.label),
        ...allKeys(labelsBefore, labels).flatMap((locale) =>
          compared(
            { ...subject, locale },
            'translation_changed',
            'label',
            ownValue(labelsBefore, locale),
            ownValue(labels, locale),
          ),
        ),
      ];
    },
  );
}
