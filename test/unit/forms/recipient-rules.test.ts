import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Condition, OPERATORS, visibleFields } from '../../../src/forms/definition/conditions.js';
import { FIELD_TYPES } from '../../../src/forms/definition/form-definition.js';
import { readPatternsNow } from '../../../src/forms/definition/patterns.js';
import {
  matchedRules,
  type RecipientRule,
  recipientsOf,
} from '../../../src/forms/recipients/recipient-rules.js';
import { recipientRuleFaults } from '../../../src/forms/recipients/rule-faults.js';
import { readValues } from '../../../src/forms/validation/field-values.js';
import { finish } from '../../../src/lib/steps.js';
import { field, form, options } from './forms.js';

const topicIs = (value: string): Condition => ({
  match: 'all',
  rules: [{ field: 'topic', operator: 'equals', value }],
});

const [SALES, HELP, DESK] = ['sales@acme.test', 'help@acme.test', 'desk@acme.test'];
const FIELDS = [
  field('topic', { type: 'select', options: options('quote', 'help') }),
  field('budget', { type: 'number', visibility: topicIs('quote') }),
];
const to = (when: Condition, ...recipients: string[]): RecipientRule => ({ when, recipients });
const isBig: Condition = { match: 'all', rules: [{ field: 'budget', operator: 'gt', value: 1000 }] };

type Settings = Parameters<typeof recipientsOf>[2];

const settings = (over: Partial<{ [Key in keyof Settings]: object | null }> = {}): Settings => ({
  form: { recipients: [DESK], recipientRules: [], ...over.form },
  placement: over.placement ? { recipients: [], recipientRules: [], ...over.placement } : null,
  email: 'hello@acme.test',
});

const addresses = (values: Record<string, unknown>, given: Settings) =>
  recipientsOf(FIELDS, values, given).map(({ address }) => address);

describe('the recipients of a submission', () => {
  const rules = [to(topicIs('quote'), SALES), to(topicIs('help'), HELP)];
  const both = [to(topicIs('quote'), SALES), to(isBig, 'boss@acme.test', SALES.toUpperCase())];
  test.each<[string, Record<string, unknown>, Settings, string[]]>([
    [
      'are those of the rule that matches',
      { topic: 'help' },
      settings({ form: { recipientRules: rules } }),
      [HELP],
    ],
    [
      'are the defaults when none matches',
      { topic: '' },
      settings({ form: { recipientRules: rules } }),
      [DESK],
    ],
    [
      "are the placement's own when none matches",
      {},
      settings({ form: { recipientRules: rules }, placement: { recipients: ['site@acme.test'] } }),
      ['site@acme.test'],
    ],
    [
      "are the website's address without any",
      {},
      settings({ form: { recipients: [] } }),
      ['hello@acme.test'],
    ],
    [
      "are decided by the form's rules although the placement has recipients",
      { topic: 'quote' },
      settings({ form: { recipientRules: rules }, placement: { recipients: ['site@acme.test'] } }),
      [SALES],
    ],
    [
      "are decided by the placement's rules alone when it has any",
      { topic: 'quote' },
      settings({
        form: { recipientRules: rules },
        placement: { recipientRules: [to(topicIs('help'), 'site@acme.test')] },
      }),
      [DESK],
    ],
    [
      'are those of every rule that matches, each address once',
      { topic: 'quote', budget: '2000' },
      settings({ form: { recipientRules: both } }),
      [SALES, 'boss@acme.test'],
    ],
    [
      'are not decided by a field that is hidden',
      { topic: 'help', budget: '2000' },
      settings({ form: { recipientRules: both } }),
      [DESK],
    ],
  ])('%s', (_, values, given, expected) => {
    expect(addresses(values, given)).toEqual(expected);
  });

  test('name the first rule that chose them, and none where they are defaults', () => {
    const given = settings({ placement: { recipientRules: both } });
    const [topic, big] = both.map(({ when }) => when);
    expect(recipientsOf(FIELDS, { topic: 'quote', budget: 2000 }, given)).toEqual([
      { address: SALES, rule: { scope: 'placement', index: 0, when: topic } },
      { address: 'boss@acme.test', rule: { scope: 'placement', index: 1, when: big } },
    ]);
    expect(recipientsOf(FIELDS, {}, given)).toEqual([{ address: DESK, rule: null }]);
  });

  test('are none when the website has a blank address', () => {
    const given = { ...settings({ form: { recipients: [] } }), email: ' ' };
    expect(recipientsOf(FIELDS, {}, given)).toEqual([]);
  });

  test('ignore a rule that names a field which the form no longer has, even when it compares for absence', () => {
    const gone: Condition = { match: 'any', rules: [{ field: 'gone', operator: 'is_empty' }] };
    const nested: Condition = { match: 'any', rules: [gone, ...topicIs('quote').rules] };
    expect(addresses({ topic: 'quote' }, settings({ form: { recipientRules: [to(gone, SALES)] } }))).toEqual([
      DESK,
    ]);
    expect(
      addresses({ topic: 'quote' }, settings({ form: { recipientRules: [to(nested, SALES)] } })),
    ).toEqual([DESK]);
  });
});

test('rules are checked as display conditions are, each fault at its path', () => {
  const rules = [
    to(topicIs('quote'), SALES),
    to({ match: 'all', rules: [{ field: 'gone', operator: 'is_empty' }] }, SALES),
    to({ match: 'any', rules: [...topicIs('quote').rules, topicIs('none')] }, SALES),
    to({ match: 'all', rules: [{ field: 'topic', operator: 'gt', value: 1 }] }, SALES),
  ];
  expect(recipientRuleFaults(rules, FIELDS).map(({ path }) => path)).toEqual([
    [1, 'when', 'rules', 0, 'field'],
    [2, 'when', 'rules', 1, 'rules', 0, 'value'],
    [3, 'when', 'rules', 0, 'operator'],
  ]);
  const long = Array.from({ length: 300 }, (_, value) => String(value));
  const costly: Condition = { match: 'all', rules: [{ field: 'name', operator: 'in', value: long }] };
  expect(recipientRuleFaults(Array(4).fill(to(costly, SALES)), [field('name')])).toEqual([
    { path: [3, 'when'], message: 'The conditions of a form compare 1,000 values at most.' },
  ]);
});

const names = ['a', 'b', 'c', 'd'];
const scalar = fc.constantFrom('a', 'b', '1', '1.0', '', 'on', '2026-01-01', '08:00', 1, true, false);
const anyCondition: fc.Arbitrary<Condition> = fc.record({
  match: fc.constantFrom('all' as const, 'any' as const),
  rules: fc.array(
    fc.record({
      field: fc.constantFrom(...names),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.oneof(scalar, fc.array(scalar, { minLength: 1 })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
const anyFields = fc.tuple(
  ...names.map((name) =>
    fc
      .record({
        type: fc.constantFrom(...FIELD_TYPES),
        isMultiple: fc.boolean(),
        options: fc.constantFrom([], options('a', 'b', '1')),
        visibility: fc.option(anyCondition),
      })
      .map((over) => field(name, over)),
  ),
);
const anyAddress = fc.constantFrom(SALES, HELP, DESK, 'Sales@acme.test');
const anyRules = fc.array(
  fc.record({ when: anyCondition, recipients: fc.array(anyAddress, { minLength: 1, maxLength: 3 }) }),
  { maxLength: 4 },
);
const anyValues = fc.dictionary(
  fc.constantFrom(...names),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constantFrom(' a ', '01', 'yes', null)),
);

test('a rule matches exactly when a field under its condition would be shown', () => {
  fc.assert(
    fc.property(anyFields, anyRules, anyValues, (fields, rules, values) => {
      const chosen = new Set(
        matchedRules(fields, values, { form: rules, placement: [] }).map(({ index }) => index),
      );
      const shown = rules.map(({ when }) =>
        visibleFields([...fields, field('x', { visibility: when })], values),
      );
      for (const [index, { recipients }] of rules.entries()) {
        if (chosen.has(index)) expect(shown[index]!.has('x')).toBe(true);
        // One that matches without being chosen adds no address: earlier rules have its addresses.
        const isLate = recipients.every((address) =>
          rules.some(
            (earlier, at) =>
              at < index &&
              shown[at]!.has('x') &&
              earlier.recipients.some((one) => one.toLowerCase() === address.toLowerCase()),
          ),
        );
        expect(chosen.has(index)).toBe(shown[index]!.has('x') && !isLate);
      }
    }),
  );
});

test('what was recorded decides as what was sent', () => {
  let valid = 0;
  fc.assert(
    fc.property(anyFields, anyRules, anyRules, anyValues, (fields, ofForm, ofPlacement, sent) => {
      const read = finish(readValues(form(fields), readPatternsNow(fields), sent, 'en'));
      if (!read.ok) return;
      valid++;
      const rules = { form: ofForm, placement: ofPlacement };
      expect(matchedRules(fields, read.values, rules)).toEqual(matchedRules(fields, sent, rules));
    }),
    { numRuns: 2000 },
  );
  expect(valid).toBeGreaterThan(50);
});

test('no recipient is chosen twice, and without a matching rule all are defaults', () => {
  fc.assert(
    fc.property(anyFields, anyRules, anyValues, (fields, rules, values) => {
      const chosen = recipientsOf(fields, values, settings({ placement: { recipientRules: rules } }));
      const keys = chosen.map(({ address }) => address.toLowerCase());
      expect(new Set(keys).size).toBe(keys.length);
      expect(new Set(chosen.map(({ rule }) => rule === null)).size).toBe(1);
    }),
  );
});
