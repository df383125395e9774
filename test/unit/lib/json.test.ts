import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDouble } from '../../../src/lib/text/decimal.js';
import { parseExactJson } from '../../../src/lib/text/json.js';

/** A JSON value as it is written, and what is to be read from it. */
type Written = { json: string; value: unknown };

const number = fc
  .oneof(
    fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][-+]?\d{1,3})?$/),
    fc.constantFrom(
      '9007199254740993',
      '1e400',
      '-1E-400',
      '0.1',
      '1.50',
      '1e3',
      '-0',
      '1e0000000000000000003',
    ),
  )
  .map((json): Written => ({ json, value: isDouble(json) ? Number(json) : json }));
const string = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a\\', '\\"', ':9007199254740993', '"1e400', '[1e400,'),
  )
  .map((value): Written => ({ json: JSON.stringify(value), value }));
const constant = fc.constantFrom<Written>({ json: 'true', value: true }, { json: 'null', value: null });
const space = fc.constantFrom('', ' ', '\n\t');
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'a', '9007199254740993'));

const { any } = fc.letrec<{ any: Written }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    number,
    string,
    constant,
    fc.tuple(space, fc.array(tie('any'))).map(([gap, items]) => ({
      json: `[${items.map(({ json }) => `${gap}${json}${gap}`).join(',')}]`,
      value: items.map(({ value }) => value),
    })),
    fc.tuple(space, fc.array(fc.tuple(key, tie('any')))).map(([gap, entries]) => ({
      json: `{${entries.map(([name, { json }]) => `${gap}${JSON.stringify(name)}:${gap}${json}`).join(',')}}`,
      // Defines `__proto__` as a key of its own, and of two that are the same the last counts.
      value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
    })),
  ),
}));

test('values are parsed as JSON.parse does, except that a number that no double holds is its text', () => {
  fc.assert(
    fc.property(any, ({ json, value }) => {
      expect(parseExactJson(json)).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test('text that JSON.parse refuses is refused, with long numbers and without', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1e400',
    '9007199254740993',
    '01',
    '-',
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const json = pieces.join('');
      let isRead = true;
      try {
        JSON.parse(json);
      } catch {
        isRead = false;
      }
      if (isRead) expect(() => parseExactJson(json)).not.toThrow();
      else expect(() => parseExactJson(json)).toThrow(SyntaxError);
    }),
    { numRuns: 2_000 },
  );
});

describe('malformed JSON with a long number', () => {
  test.each([
    '{"a":1e400,}',
    '{"a":01e400}',
    '{"a":+1e400}',
    '{"a":0012345678901234567890}',
    '{9007199254740993:1}',
    '{"a":9007199254740993.}',
    '{"a":.9007199254740993}',
    '{"a":9007199254740993 9007199254740993}',
    '{"a":1e400,"b":NaN}',
    '{"a":1e400,"b":"\u0001"}',
    '{"a":1e400,"b',
    '\ufeff{"a":1e400}',
  ])('is refused: %j', (json) => {
    expect(() => parseExactJson(json)).toThrow(SyntaxError);
  });
});

describe('of more than 1,000 numbers that a double may not hold', () => {
  const list = (length: number) => `[${Array(length).fill('1e400').join()}]`;

  test('1,000 are parsed', () => {
    expect(parseExactJson(list(1_000))).toEqual(Array(1_000).fill('1e400'));
  });

  test('1,001 are refused, also as values of one key', () => {
    expect(() => parseExactJson(list(1_001))).toThrow(RangeError);
    expect(() => parseExactJson(`{${Array(1_001).fill('"a":1e400').join()}}`)).toThrow(RangeError);
  });

  test('texts that spell such numbers do not count', () => {
    const texts = Array(2_000).fill('1e400');
    expect(parseExactJson(JSON.stringify([...texts, 0]).replace(/0]$/, '1e400]'))).toEqual([
      ...texts,
      '1e400',
    ]);
  });
});

test('130,000 levels with a long number inside are parsed', () => {
  const depth = 130_000;
  let value = parseExactJson(`${'['.repeat(depth)}1e400${']'.repeat(depth)}`);
  for (let level = 0; level < depth; level++) [value] = value as [unknown];
  expect(value).toBe('1e400');
});
