import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  exportTranslations,
  readTranslations,
  withImported,
} from '../../../web/panel/pages/form/translations/csv-file.js';
import {
  type TranslatedForm,
  targetLocales,
  textsOf,
  translationOf,
  withLanguage,
  withoutLanguage,
  withTranslation,
} from '../../../web/panel/pages/form/translations/draft-texts.js';

const LOCALES = ['fr', 'en', 'de', 'ar'];

const draft: TranslatedForm = {
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  privacyNoticeText: null,
  privacyNoticeUrl: 'https://acme.test/rgpd',
  fields: [
    {
      name: 'topic',
      label: 'Sujet',
      placeholder: null,
      helpText: null,
      linkUrl: null,
      options: [
        { value: 'quote', label: 'Devis', translations: [{ locale: 'en', label: 'Quote' }] },
        { value: 'other', label: '=Autre', translations: [] },
      ],
      translations: [{ locale: 'en', label: 'Subject', placeholder: null, helpText: null, linkUrl: null }],
    },
  ],
  translations: [
    {
      locale: 'en',
      submitButtonText: 'Send',
      confirmationMessage: null,
      privacyNoticeText: null,
      privacyNoticeUrl: null,
    },
  ],
};

/** A text with what spreadsheets, CSV and formulas make special. */
const HOSTILE = [
  ...'=+-@＝"\',;\t\r\n \0',
  '\uFEFF',
  '\u200B',
  '\u202E',
  'é',
  '名',
  '🙂',
  '/',
  'option',
  'a',
];
const hostile = fc.string({ unit: fc.constantFrom(...HOSTILE), maxLength: 8 });
const nullable = fc.oneof(fc.constant(null), hostile);

const own = { submitButtonText: nullable, confirmationMessage: nullable };
const ownOfAll = { ...own, privacyNoticeText: nullable, privacyNoticeUrl: fc.constant(null) };
const ofField = { label: nullable, placeholder: nullable, helpText: nullable, linkUrl: fc.constant(null) };
const translationsOf = <Entry extends object>(texts: fc.Arbitrary<Entry>) =>
  fc
    .uniqueArray(fc.constantFrom('en', 'de', 'ar'), { maxLength: 3 })
    .chain((locales) =>
      fc.tuple(...locales.map((locale) => texts.map((entry) => ({ locale, ...entry })))),
    ) as fc.Arbitrary<({ locale: string } & Entry)[]>;

const hostileField = fc.record({
  ...ofField,
  name: fc.stringMatching(/^[A-Za-z_][\w.-]{0,9}$/),
  label: hostile,
  options: fc.uniqueArray(
    fc.record({
      value: hostile.filter(Boolean),
      label: hostile,
      translations: translationsOf(fc.record({ label: hostile.filter(Boolean) })),
    }),
    { maxLength: 3, selector: ({ value }) => value },
  ),
  translations: translationsOf(fc.record(ofField)),
});

const hostileDraft: fc.Arbitrary<TranslatedForm> = fc
  .record({
    ...ownOfAll,
    fields: fc.uniqueArray(hostileField, { maxLength: 3, selector: ({ name }) => name }),
    translations: translationsOf(fc.record(ownOfAll)),
  })
  .map((form) => ({ ...form, sourceLocale: 'fr' }))
  // The gateway refuses a field that is translated into a language which the form is not.
  .map((form) => ['en', 'de', 'ar'].reduce((offering, locale) => withLanguage(offering, locale), form));

/** As a browser writes a file and reads it again. */
const throughFile = (text: string) => new TextDecoder().decode(new TextEncoder().encode(text));

describe('an export', () => {
  test('has a row for each text, a column for each language, and a mark for spreadsheets', () => {
    expect(exportTranslations(draft)).toBe(
      '\uFEFF"key","fr","en"\r\n' +
        '"submitButtonText","Envoyer","Send"\r\n' +
        '"confirmationMessage","Merci.",""\r\n' +
        '"privacyNoticeUrl","https://acme.test/rgpd",""\r\n' +
        '"topic/label","Sujet","Subject"\r\n' +
        '"topic/option/quote","Devis","Quote"\r\n' +
        `"topic/option/other","'=Autre",""\r\n`,
    );
  });

  test('changes nothing when it is imported again, whatever its texts', () => {
    fc.assert(
      fc.property(hostileDraft, (form) => {
        const imported = readTranslations(throughFile(exportTranslations(form)), form, LOCALES);
        expect(imported).toEqual({ changes: [], faults: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  test('brings every translation back into a form that has lost them', () => {
    // What the gateway would refuse is a fault of its row, as another test shows.
    const storable = hostileDraft.filter((form) => !JSON.stringify(form).includes('\\u0000'));
    fc.assert(
      fc.property(storable, (form) => {
        const bare = targetLocales(form).reduce((less, locale) => withoutLanguage(less, locale), form);
        const { changes, faults } = readTranslations(throughFile(exportTranslations(form)), bare, LOCALES);
        expect(faults).toEqual([]);
        const restored = withImported(bare, changes);
        const all = (of: TranslatedForm) =>
          textsOf(of).map(({ key, place }) => [
            key,
            LOCALES.slice(1)
              .map((locale) => translationOf(of, place, locale))
              // White space is no translation, which the gateway has none of.
              .map((text) => (text.trim() ? text : '')),
          ]);
        expect(all(restored)).toEqual(all(form));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('an import', () => {
  const importing = (file: string) => readTranslations(file, draft, LOCALES);

  test.each([',', ';', '\t'])('is read with %j between its cells', (separator) => {
    const rows = [
      ['key', 'fr', 'en', 'de'],
      ['submitButtonText', 'Envoyer', 'Go', 'Senden'],
      ['topic/option/other', '=Autre', '', 'Anderes'],
    ];
    const { changes, faults } = importing(rows.map((row) => row.join(separator)).join('\n'));
    expect(faults).toEqual([]);
    expect(
      changes.map(({ row, text, locale, before, after }) => [row, text.key, locale, before, after]),
    ).toEqual([
      [2, 'submitButtonText', 'en', 'Send', 'Go'],
      [2, 'submitButtonText', 'de', '', 'Senden'],
      [3, 'topic/option/other', 'de', '', 'Anderes'],
    ]);
    const changed = withImported(draft, changes);
    expect(targetLocales(changed)).toEqual(['en', 'de']);
    expect(translationOf(changed, { field: 0, option: 1, text: 'label' }, 'de')).toBe('Anderes');
  });

  test.each(['\r\n', '\r'])(
    'of a file to which an editor has given the line ends %j changes nothing',
    (ends) => {
      const place = { field: null, option: null, text: 'confirmationMessage' } as const;
      const source = { ...draft, confirmationMessage: 'Merci.\nA bientôt.' };
      const form = withTranslation(source, place, 'en', 'Thank you.\nSee you soon.');
      const file = exportTranslations(form).replace(/\r?\n/g, ends);
      expect(readTranslations(file, form, LOCALES)).toEqual({ changes: [], faults: [] });
    },
  );

  test('leaves alone what has an empty cell, and languages without a column', () => {
    expect(importing('key,en\nsubmitButtonText,\ntopic/label')).toEqual({ changes: [], faults: [] });
  });

  test('names every fault with its row, and takes the rest', () => {
    const rows = [
      'key,fr,en,Note,en,ar',
      'submitButtonText,Envoyer,Go,,,',
      '',
      'nothing/label,Rien,Nothing,,,',
      'submitButtonText,Envoyer,Twice,,,',
      `topic/label,Sujet,${'x'.repeat(501)},,,موضوع`,
      'privacyNoticeUrl,https://acme.test/rgpd,javascript:alert(1),,,',
      'topic/option/quote,Ancien devis,Estimate,,,',
      'confirmationMessage,Merci.,a\0b,,,',
    ];
    const { changes, faults } = importing(rows.join('\r\n'));
    const named = faults.map((fault) =>
      'about' in fault ? fault : { ...fault, text: undefined, key: fault.text.key },
    );
    expect(named).toEqual([
      { row: 1, kind: 'column_unknown', about: 'Note' },
      { row: 1, kind: 'column_repeated', about: 'en' },
      { row: 4, kind: 'key_unknown', about: 'nothing/label' },
      { row: 5, kind: 'key_repeated', about: 'submitButtonText' },
      { row: 6, key: 'topic/label', locale: 'en', kind: 'too_long' },
      { row: 7, key: 'privacyNoticeUrl', locale: 'en', kind: 'no_address' },
      { row: 8, kind: 'source_differs', about: 'topic/option/quote' },
      { row: 9, key: 'confirmationMessage', locale: 'en', kind: 'not_storable' },
    ]);
    expect(changes.map(({ row, after }) => [row, after])).toEqual([
      [2, 'Go'],
      [6, 'موضوع'],
    ]);
  });

  test.each([
    ['within quotes', 'key,en\nsubmitButtonText,"Go', 'cut_off', null],
    ['without a column of keys', 'Text,en\nEnvoyer,Go', 'no_keys', 1],
    ['without anything', '', 'no_keys', 1],
  ])('of a file %s takes nothing', (_title, file, kind, row) => {
    expect(importing(file)).toEqual({ changes: [], faults: [{ row, kind, about: '' }] });
  });
});

describe('a translation', () => {
  test('that is emptied leaves nothing behind', () => {
    const label = { field: 0, option: null, text: 'label' } as const;
    const option = { field: 0, option: 0, text: 'label' } as const;
    const emptied = withTranslation(withTranslation(draft, label, 'en', ''), option, 'en', '');
    expect(emptied.fields[0]?.translations).toEqual([]);
    expect(emptied.fields[0]?.options[0]?.translations).toEqual([]);
    expect(targetLocales(emptied)).toEqual(['en']);
  });

  test('changes its own field and no other', () => {
    const two = { ...draft, fields: [...draft.fields, { ...draft.fields[0]!, name: 'again' }] };
    const changed = withTranslation(two, { field: 1, option: null, text: 'label' }, 'en', 'Again');
    expect(changed.fields[0]).toBe(two.fields[0]);
    expect(changed.translations).toBe(two.translations);
    expect(changed.fields[1]?.translations[0]?.label).toBe('Again');
  });
});
