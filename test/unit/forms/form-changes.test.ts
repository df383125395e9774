import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Condition } from '../../../src/forms/definition/conditions.js';
import {
  FIELD_TYPES,
  type FieldDefinition,
  type FieldTranslation,
} from '../../../src/forms/definition/form-definition.js';
import { type FormChange, formChanges, type KeptForm } from '../../../src/forms/history/form-changes.js';
import { movedKeys } from '../../../src/forms/history/moves.js';
import { field, options } from './forms.js';

const LOCALES = ['en', 'de', '__proto__'];
const VALUES = ['quote', 'other', '__proto__'];

/** An object with these keys as its own, `__proto__` like any other. */
const record = <T>(keys: readonly string[], value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc
    .uniqueArray(fc.constantFrom(...keys))
    .chain((chosen) => fc.tuple(...chosen.map((key) => fc.tuple(fc.constant(key), value))))
    .map((entries) => Object.fromEntries(entries));

const word = fc.constantFrom('a', 'b', 'c');
const maybe = fc.option(word);

const condition: fc.Arbitrary<Condition> = fc.record({
  match: fc.constantFrom('all' as const, 'any' as const),
  rules: fc.array(fc.record({ field: word, operator: fc.constant('equals' as const), value: word }), {
    minLength: 1,
    maxLength: 2,
  }),
});

/** Texts in another language: each is there or not. */
const texts = <Key extends string>(keys: readonly Key[]) => record(keys, word);

const fieldOf = (name: string): fc.Arbitrary<FieldDefinition> =>
  fc.uniqueArray(fc.constantFrom(...VALUES)).chain((values) =>
    fc.record({
      name: fc.constant(name),
      type: fc.constantFrom(...FIELD_TYPES),
      label: word,
      isRequired: fc.boolean(),
      showLabel: fc.boolean(),
      isMultiple: fc.boolean(),
      placeholder: maybe,
      helpText: maybe,
      linkUrl: maybe,
      options: fc.tuple(...values.map((value) => word.map((label) => ({ value, label })))),
      attributes: record(['maxlength', 'pattern'], word),
      visibility: fc.option(condition),
      translations: record(
        LOCALES,
        fc
          .tuple(
            texts(['label', 'placeholder', 'helpText', 'linkUrl']),
            values.length > 0 ? texts(values) : fc.constant({}),
          )
          .map(
            ([own, labels]): FieldTranslation => ({
              ...own,
              ...(Object.keys(labels).length > 0 && { options: labels }),
            }),
          ),
      ).map((byLocale) =>
        Object.fromEntries(Object.entries(byLocale).filter(([, own]) => Object.keys(own).length > 0)),
      ),
    }),
  );

/** Copies plain JSON, as a version is read. */
const copyOf = <T>(json: T): T => JSON.parse(JSON.stringify(json)) as T;

const form: fc.Arbitrary<KeptForm> = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
  .chain((names) =>
    fc.record({
      name: word,
      active: fc.boolean(),
      recipients: fc.array(word, { maxLength: 2 }),
      recipientRules: fc.array(fc.record({ when: condition, recipients: fc.array(word) }), { maxLength: 2 }),
      sourceLocale: word,
      texts: fc.record({
        submitButtonText: word,
        confirmationMessage: word,
        privacyNoticeText: maybe,
        privacyNoticeUrl: maybe,
      }),
      fields: fc.tuple(...names.map(fieldOf)),
      translations: record(LOCALES, texts(['submitButtonText', 'privacyNoticeText'])),
    }),
  )
  .map(copyOf);

/** Sets an own property, `__proto__` like any other; null removes it. */
function put(object: object, key: string, value: unknown): void {
  if (value === null) Reflect.deleteProperty(object, key);
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The object under a key, which is made where there is none. */
function within(object: object, key: string): object {
  if (!Object.hasOwn(object, key)) put(object, key, {});
  return (object as Record<string, object>)[key]!;
}

type Labels = { label: string; translations: Record<string, string> };

/** Makes the later list: what was added or moved at its position, the others between in their former order. */
function relisted<Entry>(
  former: readonly Entry[],
  changes: readonly FormChange[],
  keyOf: (entry: Entry | FormChange) => string,
  added: (change: FormChange) => Entry,
): Entry[] {
  const placed = new Map<number, Entry>();
  const away = new Set<string>();
  for (const change of changes) {
    const [, how] = change.kind.split('_');
    if (how === 'added') placed.set((change.after as { position: number }).position, added(change));
    if (how === 'moved') {
      placed.set(change.after as number, former.find((entry) => keyOf(entry) === keyOf(change))!);
    }
    away.add(keyOf(change));
  }
  const rest = former.filter((entry) => !away.has(keyOf(entry)));
  return Array.from(
    { length: rest.length + placed.size },
    (_, index) => placed.get(index + 1) ?? rest.shift()!,
  );
}

const LISTED = /_(added|removed|moved)$/;

function changeField(made: FieldDefinition, changes: readonly FormChange[]): void {
  const ofOptions = changes.filter(({ kind }) => kind.startsWith('option_') && LISTED.test(kind));
  made.options = relisted<FieldDefinition['options'][number]>(
    made.options,
    ofOptions,
    (one) => ('kind' in one ? one.option! : one.value),
    ({ option, after }) => ({ value: option!, label: (after as Labels).label }),
  );
  const translate = (locale: string, option: string | null, key: string, text: unknown) => {
    const own = within(made.translations, locale);
    if (option === null) put(own, key, text);
    else put(within(own, 'options'), option, text);
  };
  for (const { kind, option, locale, key, before, after } of changes) {
    if (kind === 'field_changed') Object.assign(made, { [key!]: after });
    if (kind === 'attribute_changed') put(made.attributes, key!, after);
    if (kind === 'condition_changed') made.visibility = after as Condition | null;
    if (kind === 'option_changed')
      made.options.find(({ value }) => value === option)!.label = after as string;
    if (kind === 'translation_changed') translate(locale!, option, key!, after);
    const labels = (
      kind === 'option_added' ? after : kind === 'option_removed' ? before : null
    ) as Labels | null;
    for (const [of, label] of Object.entries(labels?.translations ?? {})) {
      translate(of, option, 'label', kind === 'option_added' ? label : null);
    }
  }
  for (const [locale, own] of Object.entries(made.translations)) {
    if (own.options && Object.keys(own.options).length === 0) delete own.options;
    if (Object.keys(own).length === 0) put(made.translations, locale, null);
  }
}

/** Makes the later form of the earlier one and the changes, by nothing but these. */
function applied(before: KeptForm, changes: readonly FormChange[]): KeptForm {
  const made = copyOf(before);
  const ofFields = changes.filter(({ kind }) => kind.startsWith('field_') && LISTED.test(kind));
  made.fields = relisted<FieldDefinition>(
    made.fields,
    ofFields,
    (one) => ('kind' in one ? one.field! : one.name),
    ({ after }) => {
      const { position: _, ...added } = after as FieldDefinition & { position: number };
      return added;
    },
  );
  for (const { kind, field: name, locale, key, after } of changes) {
    if (kind === 'setting_changed') Object.assign(key! in made ? made : made.texts, { [key!]: after });
    if (kind === 'language_added') within(made.translations, locale!);
    if (kind === 'translation_changed' && name === null) put(within(made.translations, locale!), key!, after);
  }
  for (const { kind, locale } of changes)
    if (kind === 'language_removed') put(made.translations, locale!, null);
  for (const one of made.fields) {
    changeField(
      one,
      changes.filter((change) => change.field === one.name && !ofFields.includes(change)),
    );
  }
  return made;
}

const equal = (before: KeptForm, after: KeptForm) =>
  isDeepStrictEqual(structuredClone(before), structuredClone(after));

describe('the changes between two versions of a form', () => {
  test('are none between equal versions, and some between any others', () => {
    fc.assert(
      fc.property(form, form, (before, after) => {
        expect(formChanges(before, copyOf(before))).toEqual([]);
        expect(formChanges(before, after).length === 0).toBe(equal(before, after));
      }),
    );
  });

  test('make the later version of the earlier one', () => {
    fc.assert(
      fc.property(form, form, (before, after) => {
        const made = applied(before, formChanges(before, after));
        if (!equal(made, after)) expect(made).toEqual(after);
        expect(equal(made, after)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test('move as many entries one way as the other', () => {
    fc.assert(
      fc.property(form, form, (before, after) => {
        const moves = (changes: FormChange[]) => changes.filter(({ kind }) => kind.endsWith('_moved')).length;
        expect(moves(formChanges(after, before))).toBe(moves(formChanges(before, after)));
      }),
    );
  });

  test('take an untranslated text for the same, be it missing, null or empty', () => {
    const [text] = [field('x', { translations: { en: { label: '', helpText: null } } })];
    const version = (fields: FieldDefinition[]): KeptForm => ({
      name: 'n',
      active: true,
      recipients: [],
      recipientRules: [],
      sourceLocale: 'fr',
      fields,
      texts: {
        submitButtonText: 's',
        confirmationMessage: 'c',
        privacyNoticeText: null,
        privacyNoticeUrl: null,
      },
      translations: { en: {} },
    });
    expect(formChanges(version([text]), version([field('x')]))).toEqual([]);
  });

  test('name the field and the option by their later labels', () => {
    const version = (label: string, values: string[]): KeptForm => ({
      name: 'n',
      active: true,
      recipients: [],
      recipientRules: [],
      sourceLocale: 'fr',
      translations: {},
      texts: {
        submitButtonText: 's',
        confirmationMessage: 'c',
        privacyNoticeText: null,
        privacyNoticeUrl: null,
      },
      fields: [field('topic', { type: 'select', label, options: options(...values) })],
    });
    const nothing = { option: null, optionLabel: null, locale: null, before: null, after: null, key: null };
    const place = { ...nothing, field: 'topic', fieldLabel: 'Sujet' };
    expect(formChanges(version('Topic', ['a', 'b', 'c']), version('Sujet', ['c', 'a', 'd']))).toEqual([
      { ...place, kind: 'field_changed', key: 'label', before: 'Topic', after: 'Sujet' },
      { ...place, kind: 'option_moved', option: 'c', optionLabel: 'c', before: 3, after: 1 },
      {
        ...place,
        kind: 'option_added',
        option: 'd',
        optionLabel: 'd',
        after: { position: 3, label: 'd', translations: {} },
      },
      {
        ...place,
        kind: 'option_removed',
        option: 'b',
        optionLabel: 'b',
        before: { label: 'b', translations: {} },
      },
    ]);
  });
});

describe('what has moved in a list', () => {
  const keys = fc.uniqueArray(fc.string({ maxLength: 2 }), { maxLength: 8 });

  test('leaves the others in their order, and is as little as can be', () => {
    fc.assert(
      fc.property(
        keys.chain((before) => fc.tuple(fc.constant(before), fc.shuffledSubarray(before), keys)),
        ([before, kept, added]) => {
          const after = [...kept, ...added.filter((key) => !before.includes(key))];
          const moved = movedKeys(before, after);
          const stayed = kept.filter((key) => !moved.has(key));
          expect(before.filter((key) => stayed.includes(key))).toEqual(stayed);
          expect([...moved].every((key) => kept.includes(key))).toBe(true);
          const longest = subsets(kept).filter((part) => isRising(part, before));
          expect(Math.max(...longest.map(({ length }) => length))).toBe(stayed.length);
        },
      ),
    );
  });
});

function subsets(keys: readonly string[]): string[][] {
  const all: string[][] = [[]];
  for (const key of keys) all.push(...all.map((part) => part.concat(key)));
  return all;
}

const isRising = (part: readonly string[], order: readonly string[]): boolean =>
  part.every((key, index) => index === 0 || order.indexOf(part[index - 1]!) < order.indexOf(key));
