import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkPattern,
  compilePattern,
  createPatternMatcher,
} from '../../../src/forms/definition/patterns.js';

describe('saving a pattern', () => {
  test.each([
    '',
    '[0-9]{5}',
    'a|b|',
    '(a|ab)*c',
    '[a-zA-Z]+(?: [a-zA-Z]+)*',
    '(?:[a-z]+\\.)*[a-z]+',
    '[A-Za-z0-9._%+\\-]+@[A-Za-z0-9.\\-]+\\.[A-Za-z]{2,}',
    '(?:0|\\+33 ?)[1-9](?:[ .\\-]?[0-9]{2}){4}',
    '(?:[0-9]{1,3}\\.){3}[0-9]{1,3}',
    '(?=.*\\d)(?=.*[a-z]).{8,}',
    "[\\p{L}\\p{M}' \\-]{2,80}",
    '[\\p{L}--[a-z]]+',
    '.{0,2000}',
    '.*[A-Z].*',
    '\\s*\\d+\\s*',
    '(?:){999999999}',
  ])('accepts %j', (pattern) => {
    expect(checkPattern(pattern)).toBeNull();
  });

  test.each([
    '(a+)+',
    '(a*)*b',
    '(.*)*',
    '(a|a)*',
    '(?:.|[^a])+z',
    '(a|b|ab)*',
    '(\\w+\\s?)*',
    '(x+x+)+y',
    '(?:\\p{L}+\\s*)+',
    '([a-z]+[0-9]*)+',
    '(?:a{2,3}){2,50}b',
    '(?:a{9,10})*',
    '(a{1,100}){1,100}',
    '(a?){50}',
    '(?:a?){30}a{30}',
    '(a|a)'.repeat(30),
    'a?'.repeat(40) + 'a'.repeat(40),
    '\\d+\\d+\\d+\\d+\\d+',
    '\\s*\\s*\\s*\\s*x',
    '(?=(a+)+b)a*',
    '(?<!(a+)+b)a*',
    '(?=x(?!(a|a)*b))x',
  ])('refuses %j, slow on some texts', (pattern) => {
    expect(checkPattern(pattern)).toContain('very long');
  });

  test.each([
    ['(', 'not a valid'],
    ['a)|(b', 'not a valid'],
    ['(a+)\\1+', 'refer back'],
    ['(?<x>a)\\k<x>', 'refer back'],
    ['[\\q{ab|a}]*', 'texts inside'],
    ['\\p{RGI_Emoji}+', 'RGI_Emoji'],
    ['(?:(?:ab?c?){10}){10}'.repeat(5), 'large'],
    ['a'.repeat(1001), '1000 characters'],
  ])('refuses %j', (pattern, reason) => {
    expect(checkPattern(pattern)).toContain(reason);
  });

  test('never throws, and what it accepts is quick on texts of its own letters', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '.',
      '(',
      '(?:',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2,3}',
      '{0,20}',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
        fc.array(fc.constantFrom('a', 'b'), { minLength: 40, maxLength: 60 }),
        (pattern, letters) => {
          if (checkPattern(pattern) !== null) return;
          const startedAt = performance.now();
          compilePattern(pattern)!.test(`${letters.join('')}!\n`);
          expect(performance.now() - startedAt).toBeLessThan(1000);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('matching', () => {
  test.each([
    ['[0-9]{5}', '75002', true],
    ['[0-9]{5}', 'x75002', false],
    ['a|b', 'ab', false],
    ['[\\p{L}--[a-z]]', 'É', true],
    ['[\\p{L}--[a-z]]', 'e', false],
    ['[(]x', '(x', true],
    ['.', '😀', true],
    ['(', 'anything', true],
  ])('%j on %j: %s', (pattern, text, isMatch) => {
    expect(createPatternMatcher()(pattern, text)).toBe(isMatch);
  });

  test('long texts share an allowance of time', () => {
    const matches = createPatternMatcher(50);
    expect(matches('[a-z]+', 'a'.repeat(5000))).toBe(true);
    const startedAt = performance.now();
    for (let round = 0; round < 100; round++) matches('(a+)+', `${'a'.repeat(300)}!`);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});
