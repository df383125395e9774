import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkConditions, parseCondition } from '../../../src/forms/definition/condition-checks.js';
import {
  type Condition,
  OPERATORS,
  type Rule,
  visibleFields,
} from '../../../src/forms/definition/conditions.js';
import type { FieldDefinition } from '../../../src/forms/definition/form-definition.js';
import { field, options } from './forms.js';

const when = (...rules: Condition['rules']): Condition => ({ match: 'all', rules });
const nested = (depth: number): Condition =>
  when(depth === 1 ? { field: 'a', operator: 'is_empty' } : nested(depth - 1));

/** Whether a field under this one rule is shown for the value of its driver. */
function isShown(rule: Omit<Rule, 'field'>, driver: Partial<FieldDefinition>, value: unknown): boolean {
  const fields = [field('driver', driver), field('x', { visibility: when({ field: 'driver', ...rule }) })];
  return visibleFields(fields, { driver: value }).has('x');
}

describe('reading a condition', () => {
  test('keeps known keys', () => {
    const json = {
      match: 'any',
      rules: [{ field: 'a', operator: 'in', value: ['x', 1] }, when({ field: 'b', operator: 'is_empty' })],
      note: 'ignored',
    };
    expect(parseCondition(json)).toEqual({ condition: { match: json.match, rules: json.rules } });
    expect(parseCondition(nested(5))).toEqual({ condition: nested(5) });
  });

  test.each([
    ['no object', 'shown', []],
    ['null', null, []],
    ['no match', { rules: [{ field: 'a', operator: 'is_empty' }] }, ['match']],
    ['no rules', { match: 'all', rules: [] }, ['rules']],
    ['rules that are no list', { match: 'all', rules: {} }, ['rules']],
    ['a rule that is no object', { match: 'all', rules: [1] }, ['rules', 0]],
    ['no field', when({ operator: 'is_empty' } as never), ['rules', 0, 'field']],
    ['an unknown operator', when({ field: 'a', operator: 'like' as never }), ['rules', 0, 'operator']],
    ['a missing value', when({ field: 'a', operator: 'equals' }), ['rules', 0, 'value']],
    ['a list for equals', when({ field: 'a', operator: 'equals', value: ['x'] }), ['rules', 0, 'value']],
    ['a text for in', when({ field: 'a', operator: 'in', value: 'x' }), ['rules', 0, 'value']],
    ['an empty list for in', when({ field: 'a', operator: 'in', value: [] }), ['rules', 0, 'value']],
    ['a value for is_empty', when({ field: 'a', operator: 'is_empty', value: 'x' }), ['rules', 0, 'value']],
    ['too deep', nested(6), ['rules', 0, 'rules', 0, 'rules', 0, 'rules', 0, 'rules', 0]],
    ['too many', when(...Array(101).fill({ field: 'a', operator: 'is_empty' })), ['rules']],
  ])('refuses %s', (_, json, path) => {
    const result = parseCondition(json);
    expect('faults' in result && result.faults.map((fault) => fault.path)).toEqual([path]);
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 8 }), (json) => void parseCondition(json)));
  });
});

test('a value of a condition is as long as it has characters, of which an emoji is one', () => {
  const ofLength = (length: number) =>
    parseCondition({ match: 'all', rules: [{ field: 'f', operator: 'equals', value: '😀'.repeat(length) }] });
  expect(ofLength(255)).toHaveProperty('condition');
  expect(ofLength(256)).toHaveProperty('faults');
});

describe('checking the conditions of a form', () => {
  const text = field('text');
  const topic = field('topic', { type: 'select', options: options('quote', 'other') });
  const budget = field('budget', { type: 'number' });
  const day = field('day', { type: 'date' });
  const gdpr = field('gdpr', { type: 'consent' });

  test.each<[string, Rule, string | null]>([
    ['a text', { field: 'text', operator: 'equals', value: 'x' }, null],
    ['an unknown field', { field: 'nope', operator: 'is_empty' }, 'field'],
    ['order of texts', { field: 'text', operator: 'gt', value: '1' }, 'operator'],
    ['order of choices', { field: 'topic', operator: 'lt', value: 'quote' }, 'operator'],
    ['an option', { field: 'topic', operator: 'in', value: ['quote', 'other'] }, null],
    ['no option', { field: 'topic', operator: 'in', value: ['quote', 'x'] }, 'value'],
    ['a number', { field: 'budget', operator: 'gte', value: 1000 }, null],
    ['a number as text', { field: 'budget', operator: 'gte', value: '1e3' }, null],
    ['no number', { field: 'budget', operator: 'equals', value: 'much' }, 'value'],
    ['part of a number', { field: 'budget', operator: 'contains', value: '1' }, 'operator'],
    ['a date', { field: 'day', operator: 'lte', value: '2026-02-28' }, null],
    ['no date', { field: 'day', operator: 'lte', value: '28/02/2026' }, 'value'],
    ['a consent', { field: 'gdpr', operator: 'equals', value: true }, null],
    ['part of a consent', { field: 'gdpr', operator: 'contains', value: '1' }, 'operator'],
  ])('finds in a rule with %s, %j, the fault %j', (_, rule, faulty) => {
    const fields = [text, topic, budget, day, gdpr, field('x', { visibility: when(when(rule)) })];
    expect(checkConditions(fields).map((fault) => fault.path)).toEqual(
      faulty ? [[5, 'visibility', 'rules', 0, 'rules', 0, faulty]] : [],
    );
  });

  test('reports each cycle once, with its path', () => {
    const on = (name: string) => ({ visibility: when({ field: name, operator: 'is_not_empty' as const }) });
    const faults = checkConditions([
      field('a', on('b')),
      field('b', on('c')),
      field('c', on('b')),
      field('d', on('d')),
    ]);
    expect(faults.map((fault) => fault.path[0])).toEqual([1, 3]);
    expect(faults[0]!.message).toContain('b → c → b');
  });
});

describe('evaluating', () => {
  const number = { type: 'number' } as const;
  const emails = { type: 'email', isMultiple: true } as const;
  const many = { type: 'checkbox', isMultiple: true, options: options('a', 'b') } as const;

  test.each<[Omit<Rule, 'field'>, Partial<FieldDefinition>, unknown, boolean]>([
    [{ operator: 'equals', value: 'x' }, {}, 'x', true],
    [{ operator: 'equals', value: 'x' }, {}, ' x ', true],
    [{ operator: 'equals', value: 'x' }, {}, 'X', false],
    [{ operator: 'equals', value: 'x' }, {}, undefined, false],
    [{ operator: 'equals', value: '' }, {}, undefined, true],
    [{ operator: 'not_equals', value: 'x' }, {}, 'y', true],
    [{ operator: 'not_equals', value: 'x' }, {}, null, true],
    [{ operator: 'equals', value: 10 }, number, '10.0', true],
    [{ operator: 'equals', value: 0 }, number, -0, true],
    [{ operator: 'equals', value: 'a' }, many, ['b', 'a'], true],
    [{ operator: 'not_equals', value: 'a' }, many, ['b', 'a'], false],
    [{ operator: 'in', value: ['a', 'b'] }, {}, 'b', true],
    [{ operator: 'in', value: ['a', 'b'] }, {}, 'c', false],
    [{ operator: 'not_in', value: ['a', 'b'] }, many, ['b'], false],
    [{ operator: 'not_in', value: ['a'] }, many, [], true],
    [{ operator: 'contains', value: 'b' }, many, ['a', 'b'], true],
    [{ operator: 'contains', value: 'ell' }, {}, 'hello', true],
    [{ operator: 'contains', value: 'ell' }, {}, '', false],
    [{ operator: 'is_empty' }, {}, '  ', true],
    [{ operator: 'is_empty' }, {}, 0, false],
    [{ operator: 'is_empty' }, {}, { a: 1 }, true],
    [{ operator: 'is_empty' }, many, ['', null], true],
    [{ operator: 'is_not_empty' }, many, ['a'], true],
    [{ operator: 'gt', value: 9 }, number, '10', true],
    [{ operator: 'gt', value: 10 }, number, '10', false],
    [{ operator: 'gte', value: 10 }, number, 10, true],
    [{ operator: 'lt', value: '10' }, number, '9', true],
    [{ operator: 'lte', value: 10 }, number, 'many', false],
    [{ operator: 'lte', value: 10 }, number, '', false],
    [{ operator: 'lt', value: '2026-03-01' }, { type: 'date' }, '2026-02-28', true],
    [{ operator: 'gte', value: '09:00' }, { type: 'time' }, '09:00:00', true],
    [{ operator: 'gt', value: '09:00' }, { type: 'time' }, 'soon', false],
    [{ operator: 'equals', value: '10:00' }, { type: 'time' }, '10:00:00', true],
    [{ operator: 'equals', value: '10:00:00.0' }, { type: 'time' }, '10:00', true],
    [{ operator: 'in', value: ['09:00', '10:00'] }, { type: 'time' }, '10:00:00', true],
    [{ operator: 'not_equals', value: '10:00' }, { type: 'time' }, '10:00:00', false],
    [{ operator: 'not_in', value: ['10:00'] }, { type: 'time' }, '10:00:01', true],
    [{ operator: 'equals', value: '10:00' }, { type: 'time' }, '36000', false],
    [{ operator: 'equals', value: '10:00' }, { type: 'text' }, '10:00:00', false],
    [{ operator: 'equals', value: '2026-02-28' }, { type: 'date' }, ' 2026-02-28 ', true],
    [{ operator: 'equals', value: true }, { type: 'consent' }, 'on', true],
    [{ operator: 'equals', value: '1' }, { type: 'consent' }, true, true],
    [{ operator: 'equals', value: false }, { type: 'consent' }, undefined, true],
    [{ operator: 'is_empty' }, { type: 'consent' }, '0', true],
    [{ operator: 'equals', value: true }, { type: 'checkbox' }, 'on', true],
    [{ operator: 'is_empty' }, { type: 'checkbox' }, false, true],
    [{ operator: 'equals', value: 'b@x.test' }, emails, 'a@x.test, b@x.test', true],
    [{ operator: 'equals', value: 'a@x.test,b@x.test' }, emails, 'a@x.test,b@x.test', false],
    [{ operator: 'is_empty' }, emails, ' , ', true],
    [{ operator: 'equals', value: 'a\nb' }, { type: 'textarea' }, 'a\rb', true],
    [{ operator: 'equals', value: 'a b' }, {}, 'a\r\nb', true],
    [{ operator: 'equals', value: 'a\uFFFD' }, {}, 'a\0', true],
    [{ operator: 'contains', value: '\uFFFD' }, {}, '\ud800', true],
    [{ operator: 'is_not_empty' }, { type: 'hidden' }, ' ', true],
    [{ operator: 'equals', value: 'a' }, { ...many, isMultiple: false }, ' a', false],
    [{ operator: 'gt', value: 5 }, number, '0x10', false],
    [{ operator: 'equals', value: 9007199254740992 }, number, '9007199254740993', false],
    [{ operator: 'equals', value: '9007199254740993.0' }, number, '9007199254740993', true],
    [{ operator: 'equals', value: '1e3' }, number, '1000', true],
    [{ operator: 'gt', value: 9007199254740992 }, number, '9007199254740993', true],
    [{ operator: 'lt', value: '9007199254740993' }, number, 9007199254740992, true],
    [{ operator: 'gt', value: 0 }, number, '1e-400', true],
    [{ operator: 'gt', value: 1e300 }, number, '1e400', true],
    [{ operator: 'lt', value: 0 }, number, `-1${'0'.repeat(200)}`, true],
    [{ operator: 'equals', value: '😀'.repeat(10_000) }, {}, '😀'.repeat(10_000), true],
    [{ operator: 'equals', value: `${'😀'.repeat(9_999)}a` }, {}, '😀'.repeat(10_000), false],
  ])('the rule %j on a field with %j shows a field for %j: %s', (rule, driver, value, expected) => {
    expect(isShown(rule, driver, value)).toBe(expected);
  });

  test('a hidden or unknown driver counts as empty', () => {
    const fields = [
      field('a'),
      field('b', { visibility: when({ field: 'a', operator: 'equals', value: 'yes' }) }),
      field('c', { visibility: when({ field: 'b', operator: 'is_empty' }) }),
      field('d', { visibility: when({ field: 'gone', operator: 'is_empty' }) }),
    ];
    expect([...visibleFields(fields, { a: 'no', b: 'sent' })]).toEqual(['a', 'c', 'd']);
    expect([...visibleFields(fields, { a: 'yes', b: 'sent' })]).toEqual(['a', 'b', 'd']);
  });

  test('supports all, any, and nested conditions', () => {
    const visibility: Condition = {
      match: 'any',
      rules: [
        { field: 'a', operator: 'equals', value: '1' },
        when({ field: 'a', operator: 'equals', value: '2' }, { field: 'b', operator: 'is_not_empty' }),
      ],
    };
    const fields = [field('a'), field('b'), field('x', { visibility })];
    const shown = (values: Record<string, unknown>) => visibleFields(fields, values).has('x');
    expect([shown({ a: '1' }), shown({ a: '2' }), shown({ a: '2', b: '3' })]).toEqual([true, false, true]);
  });

  test('treats names such as __proto__ as ordinary fields', () => {
    const visibility = when({ field: '__proto__', operator: 'is_empty' });
    const fields = [field('__proto__'), field('x', { visibility })];
    expect(visibleFields(fields, {}).has('x')).toBe(true);
    expect(visibleFields(fields, JSON.parse('{"__proto__": "here"}')).has('x')).toBe(false);
  });

  test('never throws, also on cycles and hostile values', () => {
    const names = ['a', 'b', 'c', '__proto__'];
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    const rule = fc.record({
      field: fc.constantFrom(...names, 'gone'),
      operator: fc.constantFrom(...OPERATORS),
      value: fc.oneof(scalar, fc.array(scalar), fc.constant(undefined)),
    });
    const condition = fc.record({
      match: fc.constantFrom('all' as const, 'any' as const),
      rules: fc.array(rule),
    });
    const type = fc.constantFrom('text', 'number', 'date', 'time', 'checkbox', 'consent');
    fc.assert(
      fc.property(
        fc.tuple(...names.map(() => fc.tuple(type, condition))),
        fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
        (shapes, values) => {
          const fields = shapes.map(([type, visibility], index) => ({
            name: names[index]!,
            type,
            isMultiple: false,
            options: [],
            visibility: visibility as Condition,
          }));
          visibleFields(fields, values);
          checkConditions(fields);
        },
      ),
    );
  });
});
