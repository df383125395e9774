import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formInput, readForm } from '../../../src/forms/editing/form-input.schema.js';
import {
  addField,
  changeOptions,
  changeType,
  findRemoved,
  newField,
  newOption,
  removeField,
} from '../../../web/panel/pages/form/fields/recipes.js';
import { restoreField, restoreOption, restoreType } from '../../../web/panel/pages/form/fields/restore.js';
import { mergeDrafts, mergeForms } from '../../../web/panel/pages/form/merge-forms.js';
import {
  targetLocales,
  translationOf,
  withLanguage,
  withoutLanguage,
  withTranslation,
} from '../../../web/panel/pages/form/translations/draft-texts.js';
import { type Collision, ORDER, pathKey } from '../../../web/panel/parts/merge/merge.js';
import { isSame } from '../../../web/panel/parts/merge/same.js';
import { EMPTY_FORM, twiceEdited } from '../../support/form-drafts.js';

type Option = { value: string; label: string; translations: { locale: string; label: string }[] };
type Field = {
  name: string;
  label: string;
  isRequired: boolean;
  attributes: Record<string, string>;
  visibility: { match: string; rules: { field: string; operator: string }[] } | null;
  options: Option[];
  translations: { locale: string; label: string | null }[];
};
type Form = {
  name: string;
  recipients: string[];
  fields: Field[];
  translations: { locale: string; submitButtonText: string | null }[];
};

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const WORDS = ['', 'one', 'two', 'three'];
const word = fc.constantFrom(...WORDS);

/** A list whose entries have different keys, in any order. */
const keyed = <Entry>(keys: readonly string[], entryOf: (key: string) => fc.Arbitrary<Entry>) =>
  fc
    .shuffledSubarray([...keys])
    .chain((chosen) => fc.tuple(...chosen.map(entryOf)) as fc.Arbitrary<unknown> as fc.Arbitrary<Entry[]>);

const field = (name: string): fc.Arbitrary<Field> =>
  fc.record({
    name: fc.constant(name),
    label: word,
    isRequired: fc.boolean(),
    attributes: fc.dictionary(fc.constantFrom('min', 'max'), word, { noNullPrototype: true }),
    visibility: fc.option(
      fc.record({
        match: fc.constantFrom('all', 'any'),
        rules: fc.array(fc.record({ field: fc.constantFrom(...NAMES), operator: fc.constant('is_empty') }), {
          maxLength: 2,
        }),
      }),
      { nil: null },
    ),
    options: keyed(['x', 'y', 'z'], (value) =>
      fc.record({
        value: fc.constant(value),
        label: word,
        translations: keyed(['en', 'fr'], (locale) =>
          fc.record({ locale: fc.constant(locale), label: word }),
        ),
      }),
    ),
    translations: keyed(['en', 'fr'], (locale) =>
      fc.record({ locale: fc.constant(locale), label: fc.option(word, { nil: null }) }),
    ),
  });

const form: fc.Arbitrary<Form> = fc.record({
  name: word,
  recipients: fc.array(word, { maxLength: 2 }),
  fields: keyed(NAMES, field),
  translations: keyed(['en', 'fr'], (locale) =>
    fc.record({ locale: fc.constant(locale), submitButtonText: fc.option(word, { nil: null }) }),
  ),
});

/** A form and an edit of it, which leaves most as it was. */
const edited = (base: Form): fc.Arbitrary<Form> =>
  fc
    .tuple(form, fc.array(fc.nat(), { minLength: 4, maxLength: 4 }))
    .map(([other, [kind = 0, at = 0, to = 0]]) => {
      const fields = [...base.fields];
      const index = fields.length ? at % fields.length : 0;
      switch (kind % 6) {
        case 0:
          return { ...base, name: other.name };
        case 1:
          return { ...base, fields: fields.toSpliced(index, 1) };
        case 2: {
          const added = other.fields.find(({ name }) => !fields.some((one) => one.name === name));
          return { ...base, fields: added ? fields.toSpliced(index, 0, added) : fields };
        }
        case 3: {
          const [moving] = fields.splice(index, 1);
          if (moving) fields.splice(to % (fields.length + 1), 0, moving);
          return { ...base, fields };
        }
        case 4:
          return {
            ...base,
            fields: fields.map((one) => ({ ...one, ...other.fields.find((f) => f.name === one.name) })),
          };
        default:
          return { ...base, translations: other.translations };
      }
    });

const three = form.chain((base) =>
  fc.record({ base: fc.constant(base), mine: edited(base), theirs: edited(base) }),
);

/** The value of a side at the path of a collision. */
function at(side: unknown, path: readonly string[]): unknown {
  let value = side;
  for (const step of path) {
    if (Array.isArray(value)) {
      value = value.find((entry) => [entry.name, entry.value, entry.locale].includes(step));
    } else value = (value as Record<string, unknown> | undefined)?.[step];
  }
  return value;
}

/** The leaves of a form by their paths; entries of lists are named, and a list of texts is a leaf. */
function leaves(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'object')) {
    if (path.at(-1) === 'rules') return [[path, value]];
    return value.flatMap((entry) => leaves(entry, [...path, entry.name ?? entry.value ?? entry.locale]));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
  }
  return [[path, value]];
}

const covers = ({ path }: Collision, leaf: readonly string[]) =>
  path.every((step, index) => leaf[index] === step);

describe('the merge of two changes', () => {
  test('is the one change when the other changed nothing, or the same', () => {
    fc.assert(
      fc.property(three, ({ base, mine }) => {
        expect(mergeForms({ base, mine, theirs: base })).toEqual({ merged: mine, collisions: [] });
        expect(mergeForms({ base, mine: base, theirs: mine })).toEqual({ merged: mine, collisions: [] });
        expect(mergeForms({ base, mine, theirs: mine })).toEqual({ merged: mine, collisions: [] });
      }),
    );
  });

  test('loses nothing: what one has changed is there, or is a collision', () => {
    fc.assert(
      fc.property(
        fc.oneof(three, fc.record({ base: form, mine: form, theirs: form })),
        ({ base, mine, theirs }) => {
          const { merged, collisions } = mergeForms({ base, mine, theirs });
          for (const side of [mine, theirs]) {
            for (const [path, value] of leaves(side)) {
              if (isSame(at(base, path), value) || collisions.some((one) => covers(one, path))) continue;
              expect([path, at(merged, path)]).toEqual([path, value]);
            }
            for (const [path] of leaves(base)) {
              if (at(side, path) !== undefined || collisions.some((one) => covers(one, path))) continue;
              expect([path, at(merged, path)]).toEqual([path, undefined]);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('takes the side that is chosen for each collision', () => {
    fc.assert(
      fc.property(fc.record({ base: form, mine: form, theirs: form }), fc.boolean(), (sides, isTheirs) => {
        const { collisions } = mergeForms(sides);
        const side = isTheirs ? 'theirs' : 'mine';
        const choices = Object.fromEntries(collisions.map(({ path }) => [pathKey(path), side] as const));
        const { merged } = mergeForms(sides, choices);
        for (const collision of collisions) {
          if (collision.path.at(-1) === ORDER) continue;
          expect(at(merged, collision.path)).toEqual(collision[side]);
        }
      }),
    );
  });

  test('is the same from the other side, with the choice turned round', () => {
    const turned = { mine: 'theirs', theirs: 'mine' } as const;
    fc.assert(
      fc.property(three, ({ base, mine, theirs }) => {
        const one = mergeForms({ base, mine, theirs });
        const choices = Object.fromEntries(one.collisions.map(({ path }) => [pathKey(path), turned.mine]));
        const other = mergeForms({ base, mine: theirs, theirs: mine }, choices);
        const paths = (found: Collision[]) => found.map(({ path }) => pathKey(path)).sort();
        expect(paths(other.collisions)).toEqual(paths(one.collisions));
        const content = (merged: Form) =>
          Object.fromEntries(leaves(merged).map(([path, value]) => [pathKey(path), value]));
        expect(content(other.merged)).toEqual(content(one.merged));
      }),
    );
  });

  test('keeps every entry once, and the order of the side that moved entries', () => {
    fc.assert(
      fc.property(three, ({ base, mine, theirs }) => {
        const names = (side: Form) => side.fields.map(({ name }) => name);
        const { merged } = mergeForms({ base, mine, theirs });
        expect(new Set(names(merged)).size).toBe(merged.fields.length);
        const isKept = (name: string) => [base, mine, theirs].every((side) => names(side).includes(name));
        const order = (side: Form) => names(side).filter(isKept);
        const moved = isSame(order(mine), order(base)) ? theirs : mine;
        expect(order(merged)).toEqual(order(moved));
      }),
    );
  });

  test('tells a field that one deleted and the other changed', () => {
    const base = fc.sample(form, { seed: 7, numRuns: 50 }).find(({ fields }) => fields.length > 1)!;
    const [first] = base.fields;
    const mine = { ...base, fields: base.fields.slice(1) };
    const theirs = {
      ...base,
      fields: base.fields.map((one) => (one === first ? { ...one, label: 'new' } : one)),
    };
    const { merged, collisions } = mergeForms({ base, mine, theirs });
    expect(collisions).toEqual([
      { path: ['fields', first!.name], base: first, mine: undefined, theirs: theirs.fields[0] },
    ]);
    expect(merged.fields).toEqual(mine.fields);
    const chosen = mergeForms({ base, mine, theirs }, { [pathKey(['fields', first!.name])]: 'theirs' });
    expect(chosen.merged.fields).toEqual(theirs.fields);
  });
});

describe('the merge of two drafts', () => {
  const place = { field: 0, option: null, text: 'label' } as const;
  const base = withLanguage(
    addField(newField('text', { name: 'name', label: 'Nom', options: [] }))(EMPTY_FORM),
    'en',
  );

  test('keeps what one has translated into a language that the other has removed', () => {
    const mine = withTranslation(base, place, 'en', 'Name');
    const theirs = { ...withoutLanguage(base, 'en'), name: 'Contact' };
    for (const sides of [
      { base, mine, theirs },
      { base, mine: theirs, theirs: mine },
    ]) {
      const { merged, collisions } = mergeDrafts(sides);
      expect(collisions).toEqual([]);
      expect(merged.name).toBe('Contact');
      expect(targetLocales(merged)).toEqual(['en']);
      expect(translationOf(merged, place, 'en')).toBe('Name');
    }
  });

  test('drops what one has translated into the language that the other has made the source', () => {
    const mine = withTranslation(base, place, 'en', 'Name');
    const theirs = { ...withoutLanguage(base, 'en'), sourceLocale: 'en' };
    const { merged } = mergeDrafts({ base, mine, theirs });
    expect(merged).toEqual(theirs);
  });

  test('drops the language that one has added where the other has made it the source', () => {
    const french = withoutLanguage(base, 'en');
    const mine = withTranslation(
      french,
      { field: null, option: null, text: 'submitButtonText' },
      'en',
      'Send',
    );
    const theirs = { ...french, sourceLocale: 'en' };
    const { merged, collisions } = mergeDrafts({ base: french, mine, theirs });
    expect(collisions).toEqual([]);
    expect(targetLocales(merged)).toEqual([]);
  });

  test('brings a language back with an option, or the options of a type, translated into it', () => {
    const option = { ...newOption('red', 'Rouge'), translations: [{ locale: 'en', label: 'Red' }] };
    const field = newField('select', { name: 'color', label: 'Couleur', options: [option] });
    const draft = withLanguage(addField(field)(EMPTY_FORM), 'en');
    for (const [change, restore] of [
      [changeOptions('color', () => []), restoreOption(field, 0)],
      [changeType('color', 'text', []), restoreType(field)],
    ] as const) {
      const restored = restore(withoutLanguage(change(draft), 'en'));
      expect(restored.fields).toEqual([field]);
      expect(targetLocales(restored)).toEqual(['en']);
    }
  });

  test('brings a language back with a deleted field that was translated into it', () => {
    const translated = withTranslation(base, place, 'en', 'Name');
    const removed = findRemoved(translated, 'name')!;
    const left = withoutLanguage(removeField('name')(translated), 'en');
    const restored = restoreField(removed)(left);
    expect(targetLocales(restored)).toEqual(['en']);
    expect(translationOf(restored, place, 'en')).toBe('Name');
  });

  test('passes what the gateway checks of translations, whichever side is chosen', async () => {
    const schema = formInput(['fr', 'en', 'de', 'es']);
    await fc.assert(
      fc.asyncProperty(twiceEdited(12), fc.constantFrom('mine', 'theirs'), async (sides, side) => {
        const { collisions } = mergeDrafts(sides);
        const choices = Object.fromEntries(collisions.map(({ path }) => [pathKey(path), side] as const));
        const { merged } = mergeDrafts(sides, choices);
        const { faults } = await readForm('form', schema.parse(merged));
        expect(faults.filter(({ path }) => path.includes('translations'))).toEqual([]);
      }),
    );
  });
});
