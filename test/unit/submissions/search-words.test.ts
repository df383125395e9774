import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FormDefinition } from '../../../src/forms/definition/form-definition.js';
import { searchQueryOf, searchWordsOf } from '../../../src/submissions/submit/search-words.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const definition = {
  fields: [
    { name: 'phone', type: 'tel', options: [] },
    { name: 'name', type: 'text', options: [] },
    {
      name: 'topics',
      type: 'checkbox',
      options: [
        { value: 'garden', label: 'Créer un jardin' },
        { value: '__proto__', label: 'Autre' },
      ],
      translations: { en: { options: { garden: 'A new garden' } }, de: {}, it: { options: { garden: '' } } },
    },
  ],
} as unknown as FormDefinition;

const sent = (name: string) => searchWordsOf(definition, { name }, {});

test('search words hold every text and number at any depth, as plain words', () => {
  const words = searchWordsOf(
    definition,
    { name: 'Éloïse D’Arc', age: 36, ok: true },
    { utm: { tags: ['Ab-1'] } },
  );
  expect(words).toBe('eloise d arc 36 ab 1');
});

test('search words hold the labels of choices in every language', () => {
  const words = (topics: string[]) => searchWordsOf(definition, { topics }, {});
  expect(words(['garden'])).toBe('garden creer un jardin a new garden');
  expect(words(['__proto__'])).toBe('proto autre');
  expect(words(['gone'])).toBe('gone');
});

test.each([
  ['+33 6 12 34 56 78', '12345678'],
  ['06.12.34.56.78', '12345678'],
  ['(030) 1234-5678', '12345678'],
  ['12 34', undefined],
])('search words hold the last digits of a telephone number: %s', (phone, tail) => {
  const words = searchWordsOf(definition, { phone }, {}).split(' ');
  expect(words.includes('12345678')).toBe(tail !== undefined);
});

test('search words consist of Unicode letters, digits and marks', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const decomposed = text.normalize('NFKD');
      // Scripts without spaces are parted further.
      fc.pre(!/[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\uffff\u{1aff0}-\u{10ffff}]/u.test(decomposed));
      const lower = decomposed.replace(/[\u0300-\u036f]/g, '').toLowerCase();
      const plain = lower.replaceAll('œ', 'oe').replaceAll('æ', 'ae');
      expect(sent(text)).toBe((plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(' '));
    }),
    { examples: [['Straße ŒUVRE x²½ a\u0301é٣b Ⅷ']] },
  );
});

test('a long text is cut, and the texts before it stay searchable', () => {
  const words = searchWordsOf(definition, { name: 'Ada', message: 'ab '.repeat(5_000), late: 'unseen' }, {});
  expect(words.startsWith('ada ab ab')).toBe(true);
  expect(words).not.toContain('unseen');
});

describe('in PostgreSQL', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function finds(words: string, text: string): Promise<boolean> {
    const query = searchQueryOf(text);
    if (query === null) return false;
    const [row] = await database.db.orm.$queryRaw<
      { found: boolean }[]
    >`SELECT ${words}::tsvector @@ ${query}::tsquery AS found`;
    return row!.found;
  }

  test.each([
    ['Camille Martin', 'martin CAMILLE', true],
    ['Camille Martin', 'mart', true],
    ['Camille Martin', 'mart camille', false],
    ['Camille Martin', 'artin', false],
    ['Rénovation d’une cuisine', 'RENOVATION cuis', true],
    ['camille.martin@company.test', 'camille.martin@company.test', true],
    ['camille.martin@company.test', 'camille.martin@company', true],
    ['camille.martin@company.test', 'camille.martin@comp', false],
    ['Li Na', 'li', true],
    ['Lina', 'li', false],
    ['東京タワーへ行きたい', '東京', true],
    ['東\u{1b001}', '\u{1b001}', true],
    ['東京タワーへ行きたい', '大阪', false],
    ['서울에서', '서울', true],
    ['Order A-1234', 'a-12', false],
    ['Order A-1234', 'a-123', true],
    ['Order 1234567890', '1234567890', true],
    ['Order 1234567890', '12345678', true],
    ['Order 1234567890', '34567890', false],
    ['straße', 'STRASSE', false],
    ['Ma sœur a du cœur', 'coeur', true],
    ['Ma soeur', 'sœur', true],
    ['Lætitia', 'laeti', true],
    ['ΟΔΟΣ', 'οδό', true],
    ['x', '&|!()<->:*', false],
  ])('%s is found by %s: %s', async (text, asked, isFound) => {
    expect(await finds(sent(text), asked)).toBe(isFound);
  });

  test('a word that was indexed with its ligature is found by either spelling', async () => {
    expect(await finds('cœur', 'coeur')).toBe(true);
    expect(await finds('cœur', 'cœu')).toBe(true);
  });

  test('any text finds itself', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !text.includes('\0')),
        fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !text.includes('\0')),
        async (text, other) => {
          if (searchQueryOf(text) !== null) {
            expect(await finds(sent(text), text)).toBe(true);
          }
          await finds(sent(text), other);
        },
      ),
      { numRuns: 300 },
    );
  });
});
