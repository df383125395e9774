import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { formInput, readForm } from '../../../src/forms/editing/form-input.schema.js';
import { readWith } from '../../../src/lib/faults.js';
import { textOfFault } from '../../../web/panel/parts/form/fault-sentences.js';

/**
 * What finds faults in a form or in a rule about spam. Those of a schema's kinds and bounds, of `lib/faults.ts`, are
 * provoked below.
 */
const SOURCES = [
  'src/lib/input.schema.ts',
  'src/forms/definition/form.schema.ts',
  'src/forms/definition/form-faults.ts',
  'src/forms/definition/condition-checks.ts',
  'src/forms/definition/patterns.ts',
  'src/forms/definition/pattern-characters.ts',
  'src/forms/definition/pattern-translation.ts',
  'src/forms/recipients/recipient-rule.schema.ts',
  'src/forms/recipients/rule-faults.ts',
  'src/forms/editing/form-input.schema.ts',
  'src/spam/rules/spam-rule.schema.ts',
];

/** Texts of the sources that no fault is told in. */
const OTHERS = [
  'must be 1 to 100 letters, digits, - and _',
  'must be a time zone such as Europe/Paris',
  'must be text: put it in quotes',
  'When the field is shown; null: always',
];

const LITERAL = /'(?:[^'\\\n]|\\.)*'|`[^`]*`/g;
const REFUSAL = /refuse\(([\s\S]*?),\s*node,?\s*\)/g;

/** Returns what may stand in the place of a value in a sentence. */
function exampleOf(code: string): string {
  if (code.startsWith('unit(')) return ' characters';
  if (code.startsWith('TYPE_NAMES')) return 'text';
  if (code.endsWith('type')) return 'number';
  return code.endsWith('operator') ? 'contains' : '7';
}

/** Reads the literals of a piece of source that hold more than a word, as the sentences that they make. */
const literalsOf = (source: string): string[] =>
  (source.match(LITERAL) ?? [])
    .map((literal) =>
      literal
        .slice(1, -1)
        .replace(/\\(.)/g, '$1')
        .replace(/\$\{((?:[^{}]|\{[^}]*\})*)\}/g, (_, code: string) => exampleOf(code)),
    )
    .filter((text) => /[a-z]\w* \w/i.test(text) && !OTHERS.includes(text));

/** Lists the sentences of a source. What a pattern is refused for makes one of its own. */
function sentencesIn(path: string): string[] {
  const source = readFileSync(path, 'utf8').replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const refused = [...source.matchAll(REFUSAL)].flatMap(([, what]) => literalsOf(what!));
  return [
    ...literalsOf(source.replace(REFUSAL, '')),
    ...refused.map((what) => `A pattern cannot hold ${what}: (?=x)`),
  ].filter((sentence) => !sentence.includes('7: 7'));
}

const FIELD = { name: 'a', type: 'text', label: 'A' };
const FORM = {
  name: 'F',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci',
  fields: [FIELD],
};

/** Finds the faults of a form as the gateway does when it is saved. */
async function faultsOf(form: object): Promise<string[]> {
  const read = readWith(formInput(['fr', 'en']), { ...FORM, ...form });
  const faults = 'faults' in read ? read.faults : (await readForm('f', read.data)).faults;
  return faults.map(({ message }) => message);
}

const field = (more: object) => ({ fields: [{ ...FIELD, ...more }] });
const pattern = (source: string) => field({ attributes: { pattern: source } });
const rule = (given: object) => ({
  fields: [FIELD, { ...FIELD, name: 'b', visibility: { match: 'all', rules: [given] } }],
});

describe('what the gateway finds at a form', () => {
  test.each(SOURCES)('has a text for every sentence of %s', (path) => {
    expect(sentencesIn(path).filter((sentence) => textOfFault(sentence) === null)).toEqual([]);
  });

  test('is read from its sources: a sentence of each kind is among them', () => {
    const all = SOURCES.flatMap(sentencesIn);
    for (const sentence of [
      'must not be empty',
      'is reserved for what accompanies a submission',
      'Expected at least one rule.',
      'A pattern cannot hold a look-behind: (?=x)',
      'A pattern cannot hold a class inside a class: (?=x)',
      'The patterns of this form are too large together.',
    ]) {
      expect(all).toContain(sentence);
    }
  });

  test.each([
    ['an empty form', { submitButtonText: '', fields: [{}] }],
    ['texts that are too long', { name: 'x'.repeat(256), confirmationMessage: 'x'.repeat(100_000) }],
    ['a text that cannot be stored', { name: '\u0000' }],
    ['too many recipients', { recipients: Array.from({ length: 51 }, (_, n) => `a${n}@x.test`) }],
    ['a recipient without @', { recipients: ['nobody'] }],
    ['a rule for nobody', { recipientRules: [{ when: { match: 'all', rules: [] }, recipients: [] }] }],
    ['an unknown language', { sourceLocale: 'xx' }],
    ['the source language translated', { translations: [{ locale: 'fr' }] }],
    ['a stray language', field({ translations: [{ locale: 'en', label: 'B' }] })],
    ['two fields of one name', { fields: [FIELD, FIELD] }],
    ['a name with a space', field({ name: 'a b' })],
    ['a reserved name', field({ name: 'page_url' })],
    ['a type that there is not', field({ type: 'colour' })],
    ['options missing', field({ type: 'select' })],
    ['options where none belong', field({ options: [{ value: '1', label: 'One' }] })],
    ['a link elsewhere', field({ linkUrl: 'javascript:alert(1)' })],
    ['an attribute that runs', field({ attributes: { onclick: 'x' } })],
    ['an attribute in capitals', field({ attributes: { Max: '1' } })],
    ['no whole number', field({ attributes: { maxlength: 'x' } })],
    ['a value of another kind', field({ isRequired: 'yes', label: 7 })],
    ['a key that there is not', field({ colour: 'red' })],
    ['a rule about a missing field', rule({ field: 'z', operator: 'equals', value: '1' })],
    ['a rule about itself', rule({ field: 'b', operator: 'equals', value: '1' })],
    ['an order of texts', rule({ field: 'a', operator: 'gt', value: '1' })],
    ['an operator that there is not', rule({ field: 'a', operator: 'like', value: '1' })],
    ['a rule without a field', rule({ operator: 'equals', value: '1' })],
    ['a rule without its value', rule({ field: 'a', operator: 'equals' })],
    ['a list that is none', rule({ field: 'a', operator: 'in', value: '1' })],
    ['a value too many', rule({ field: 'a', operator: 'is_empty', value: '1' })],
    ['a value that is too long', rule({ field: 'a', operator: 'equals', value: 'x'.repeat(300) })],
    ['a broken pattern', pattern('(')],
    ['a look-ahead', pattern('(?=a)b')],
    ['a look-behind', pattern('(?<=a)b')],
    ['a back reference', pattern('(a)\\1')],
    ['a repetition that is too long', pattern('a{1001}')],
    ['a pattern that is too large', pattern('(a{100}){100}')],
    ['a pattern that is too long', pattern('a'.repeat(1_001))],
    ['an unknown property', pattern('\\p{Script_Extensions=Greek}')],
    ['a class in a class', pattern('[[a-z]]')],
    ['a class less another', pattern('[\\w--\\d]')],
    [
      'too many patterns',
      {
        fields: Array.from({ length: 30 }, (_, n) => ({
          ...FIELD,
          name: `f${n}`,
          attributes: { pattern: `${n}${'a'.repeat(900)}` },
        })),
      },
    ],
  ])('is said in words: %s', async (_what, form) => {
    const faults = await faultsOf(form);
    expect(faults).not.toEqual([]);
    expect(faults.filter((message) => textOfFault(message) === null)).toEqual([]);
  });
});
