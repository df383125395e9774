import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { PATTERNS, TEXTS } from '../../../faults/hostile/patterns.js';
import { formFaults } from '../../../src/forms/definition/form-faults.js';
import {
  compilePattern,
  createPatternCheck,
  readPatterns,
  readPatternsNow,
} from '../../../src/forms/definition/patterns.js';
import { readValues } from '../../../src/forms/validation/field-values.js';
import { finish } from '../../../src/lib/steps.js';
import { isQuick } from '../../../web/script/backtracking.js';
import { turnsDuring } from '../../support/event-loop.js';
import { field, form } from './forms.js';

/** Why a pattern is refused, or null. */
function refusalOf(pattern: string): string | null {
  try {
    compilePattern(pattern);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** As browsers read a `pattern`. */
function inBrowsers(pattern: string): RegExp {
  try {
    new RegExp(pattern, 'v');
    return new RegExp(`^(?:${pattern})$`, 'v');
  } catch {
    return new RegExp(`^(?:${pattern})$`, 'u');
  }
}

const patterned = (name: string, pattern: string, over = {}) =>
  field(name, { attributes: { pattern }, ...over });

describe('saving a pattern', () => {
  test.each([
    ...['', '[0-9]{5}', 'a|b|', '(a|ab)*c', '[a-zA-Z]+(?: [a-zA-Z]+)*', '(?:[a-z]+\\.)*[a-z]+', '.*[A-Z].*'],
    ...[
      '[A-Za-z0-9._%+\\-]+@[A-Za-z0-9.\\-]+\\.[A-Za-z]{2,}',
      '(?:[0-9]{1,3}\\.){3}[0-9]{1,3}',
      '\\s*\\d+\\s*',
    ],
    ...[
      '(?:0|\\+33 ?)[1-9](?:[ .\\-]?[0-9]{2}){4}',
      "[\\p{L}\\p{M}' \\-]{2,80}",
      '[A-Z]{2}\\d{2}[A-Z0-9]{11,30}',
    ],
    ...[
      '(?<year>\\d{4})-(?<month>\\d\\d)',
      '\\p{Script=Greek}+',
      '\\p{sc=Han}|\\p{gc=Lu}|\\p{Alphabetic}',
      '[^]',
    ],
    ...['[(]', '\\u{1F600}|\\u00e9|\\x41|\\cA|\\0|\\t', '\\bab\\b', '(?:https?:\\/\\/).+', '[]|x', 'a{1000}'],
  ])('accepts %j', (pattern) => {
    expect(refusalOf(pattern)).toBeNull();
  });

  test.each(PATTERNS)('accepts or refuses each of the hostile table: $pattern', ({ pattern, refusal }) => {
    if (refusal === undefined) expect(refusalOf(pattern)).toBeNull();
    else expect(refusalOf(pattern)).toContain(refusal);
  });

  test('counts its characters, of which an emoji is one', () => {
    expect(refusalOf('😀'.repeat(1_000))).toBeNull();
    expect(refusalOf('😀'.repeat(1_001))).toContain('1000 characters');
  });

  test('a refusal names each field that has the pattern, and quotes the construct', () => {
    const fields = [field('a'), patterned('b', '(?=x)'), patterned('c', '[0-9]'), patterned('d', '(?=x)')];
    const found = formFaults(form(fields), readPatternsNow(fields));
    const message = 'A pattern cannot hold a look-ahead: (?=x)';
    expect(found).toEqual([
      { path: ['fields', 1, 'attributes', 'pattern'], message },
      { path: ['fields', 3, 'attributes', 'pattern'], message },
    ]);
  });

  test('the patterns of a form share a budget, in which equal ones count once', async () => {
    const many = Array.from({ length: 200 }, (_, index) => patterned(`f${index}`, 'a'.repeat(800) + index));
    const { enforced, faults } = await readPatterns(many);
    expect([enforced.size, faults.length]).toEqual([24, 176]);
    expect(faults[0]).toMatchObject({
      field: 'f24',
      index: 24,
      reason: 'The patterns of this form are too large together.',
    });
    const same = many.map((one) => ({ ...one, attributes: { pattern: 'a'.repeat(800) } }));
    expect((await readPatterns(same)).faults).toEqual([]);
  });

  test('lets others be served between two patterns, however long each takes', async () => {
    const fields = Array.from({ length: 20 }, (_, index) => patterned(`f${index}`, `a${index}`));
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 10;
      return now;
    });
    expect(await turnsDuring(readPatterns(fields))).toBeGreaterThanOrEqual(20);
    jest.restoreAllMocks();
  });
});

// ── What matches ─────────────────────────────────────────────────────────────────────────────────

describe('matching', () => {
  const check = (pattern: string) => createPatternCheck(readPatternsNow([patterned('x', pattern)]));

  test.each([
    ['[0-9]{5}', '75002', null],
    ['[0-9]{5}', 'x75002', 'pattern'],
    ['a|b', 'ab', 'pattern'],
    ['[(]x', '(x', null],
    ['.', '😀', null],
    ['.', '\u2028', 'pattern'],
    ['\\s', '\u00a0', null],
    ['\\s', '\u180e', 'pattern'],
    ['[^\\S]', '\ufeff', null],
    ['[\\W_]+', '_-é', null],
    ['\\w', 'é', 'pattern'],
    ['\\d', '٣', 'pattern'],
    ['[]', 'a', 'pattern'],
    ['[^]', '\n', null],
    ['a$', 'a\n', 'pattern'],
    ['\\cJ', '\n', null],
    ['[\\b]', '\b', null],
    ['\\u{1F600}|\\ud83d\\ude00', '😀', null],
    ['(', 'anything', null],
    ['(?=.*\\d).{8,}', 'anything', null],
  ])('%j on %j: %s', (pattern, text, fault) => {
    expect(check(pattern)(pattern, text)).toBe(fault);
  });

  const letters = ['a', 'b', 'B', '1', '_', '-', ' ', '\u00a0', '\n', 'é', '漢', '😀', '\u2028', '\u180e'];
  const atom = fc.constantFrom(
    ...[
      'a',
      'b',
      '1',
      '_',
      '.',
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '[ab]',
      '[^a]',
      '[\\w\\s]',
      '[\\d\\D]',
    ],
    ...[
      '[]',
      '[a-zé😀]',
      '[^\\d\\n]',
      '[\\W]',
      '\\p{L}',
      '\\P{L}',
      '[\\p{Lu}\\p{Nd}]',
      '[^\\P{L}]',
      '\\u{1F600}',
    ],
    ...[
      '\\u0061',
      '\\x62',
      '\\n',
      '\\p{Script=Han}',
      '\\p{Emoji}',
      '\\p{White_Space}',
      '^',
      '$',
      '\\b',
      '\\B',
      '漢',
    ],
  );
  const quantifier = fc.constantFrom(
    '',
    '',
    '',
    '*',
    '+',
    '?',
    '*?',
    '{2}',
    '{0}',
    '{1,3}',
    '{0,2}?',
    '{2,}',
  );
  const sequenceOf = (piece: fc.Arbitrary<string>) =>
    fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
  const choiceOf = (sequence: fc.Arbitrary<string>) =>
    fc.array(sequence, { minLength: 1, maxLength: 3 }).map((list) => list.join('|'));
  const repeatedAtom = fc
    .tuple(atom, quantifier)
    .map(([source, sign]) => (/^(?:\^|\$|\\b|\\B)$/.test(source) ? source : source + sign));
  /** Repetitions in repetitions, but no deeper: V8 would try for minutes. */
  const group = fc
    .tuple(fc.constantFrom('(', '(?:'), choiceOf(sequenceOf(repeatedAtom)), quantifier)
    .map(([open, inner, sign]) => `${open}${inner})${sign}`);
  const anyPattern = choiceOf(
    sequenceOf(
      fc.oneof(
        repeatedAtom,
        group,
        fc.tuple(group, repeatedAtom).map((two) => `(${two.join('')})`),
      ),
    ),
  );

  test('the engine and V8 agree on any pattern that both accept', () => {
    const anyText = fc.array(fc.constantFrom(...letters), { maxLength: 6 }).map((list) => list.join(''));
    fc.assert(
      fc.property(anyPattern, fc.array(anyText, { minLength: 1, maxLength: 8 }), (source, texts) => {
        fc.pre(refusalOf(source) === null);
        const pattern = compilePattern(source);
        // The V8 of Node 20 errs with negated classes under the v flag.
        const regex = new RegExp(`^(?:${source})$`, 'u');
        for (const text of texts) expect([text, pattern.matches(text)]).toEqual([text, regex.test(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  const categories =
    'C Cc Cf Cn Co L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z';
  const properties = 'Alphabetic Any Dash Emoji Emoji_Presentation Lowercase Math Uppercase White_Space';
  const scripts = 'Arabic Armenian Common Cyrillic Georgian Greek Han Hangul Hebrew Hiragana Latin Thai';

  test.each([
    ...`${categories} ${properties}`.split(' '),
    ...scripts.split(' ').map((script) => `Script=${script}`),
  ])('the engine and V8 know the same \\p{%s}', (name) => {
    const { matches } = compilePattern(`\\p{${name}}`);
    const regex = inBrowsers(`\\p{${name}}`);
    const points = Array.from({ length: 3_000 }, (_, index) => (index < 1_000 ? index : index * 37));
    const texts = points
      .map((point) => String.fromCodePoint(point))
      .filter((text) => !/\p{Surrogate}/u.test(text));
    expect(texts.filter(matches)).toEqual(texts.filter((text) => regex.test(text)));
  });
});

// ── What it costs ────────────────────────────────────────────────────────────────────────────────

describe('the budget of a submission', () => {
  test('ends in the same error, in the language of the submission, each time', () => {
    const fields = [patterned('x', 'a*a*a*b', { isMultiple: true }), patterned('y', '[a-z]*')];
    const patterns = readPatternsNow(fields);
    const body = { x: Array.from({ length: 900 }, () => 'a'.repeat(200)), y: 'b' };
    const read = () => finish(readValues(form(fields), patterns, body, 'fr'));
    expect(read()).toMatchObject({
      errors: {
        x: [
          'Veuillez respecter le format demandé.',
          'Cette réponse est trop longue pour être vérifiée. Veuillez la raccourcir.',
        ],
        y: ['Cette réponse est trop longue pour être vérifiée. Veuillez la raccourcir.'],
      },
    });
    expect(read()).toEqual(read());
  });

  test('is not nearly used up by 200 fields of names, addresses and numbers', () => {
    const usual: [string, string][] = [
      ["[\\p{L}\\p{M}' \\-]{2,80}", 'Marie-Hélène de La Tour du Pin Chambly'],
      ['[A-Za-z0-9._%+\\-]+@[A-Za-z0-9.\\-]+\\.[A-Za-z]{2,}', 'marie-helene.delatour@entreprise.example.fr'],
      ['(?:0|\\+33 ?)[1-9](?:[ .\\-]?[0-9]{2}){4}', '+33 1 02 03 04 05'],
      ['.{0,499}', 'x'.repeat(400)],
      ['https?://.+', `https://www.example.fr/${'a'.repeat(150)}`],
    ];
    const fields = Array.from({ length: 200 }, (_, index) => patterned(`f${index}`, usual[index % 5]![0]));
    const { enforced } = readPatternsNow(fields);
    const steps = fields.map((_, index) =>
      enforced.get(usual[index % 5]![0])!.stepsFor(usual[index % 5]![1].length),
    );
    expect(steps.reduce((total, one) => total + one)).toBeLessThan(125_000);
    const check = createPatternCheck({ enforced });
    for (const [index] of fields.entries()) expect(check(...usual[index % 5]!)).toBeNull();
  });

  test('bounds the steps of any pattern by the length of the text', () => {
    for (const { pattern, refusal } of PATTERNS) {
      if (refusal) continue;
      const { size, stepsFor } = compilePattern(pattern);
      for (const { length } of TEXTS) expect(stepsFor(length)).toBeLessThanOrEqual(50 + size * (length + 1));
    }
    expect(compilePattern('[a-z]{0,400}').stepsFor(10_000)).toBeLessThan(1_000);
    expect(compilePattern('(?:a|b)*c').stepsFor(10_000)).toBeGreaterThan(30_000);
  });
});

// ── What a browser may try ───────────────────────────────────────────────────────────────────────

describe('a browser', () => {
  test.each([
    ['[0-9]{5}', 10_000],
    ["[\\p{L}\\p{M}' \\-]{2,80}", 10_000],
    ['[A-Za-z0-9._%+\\-]+@[A-Za-z0-9.\\-]+\\.[A-Za-z]{2,}', 40],
    ['(?:0|\\+33 ?)[1-9](?:[ .\\-]?[0-9]{2}){4}', 10_000],
    ['https?://.+', 10_000],
    ['[*+(|)]{3}\\*\\+\\(\\|\\)', 10_000],
    ['(?=.*\\d)(?=.*[a-z]).{8,}', 40],
  ])('checks %j on %i characters itself', (pattern, length) => {
    expect(isQuick(pattern, length)).toBe(true);
  });

  test.each([
    ...[
      '(a+)+',
      '(a*)*b',
      '(a|a)*',
      '(?:.|[^a])+z',
      '(\\w+\\s?)*',
      '(x+x+)+y',
      '(?:a{2,3}){2,50}b',
      '(a?){50}',
    ],
    ...[
      '(?:a?){30}a{30}',
      '(a|a)'.repeat(30),
      'a?'.repeat(40) + 'a'.repeat(40),
      '\\d+\\d+\\d+\\d+\\d+',
      '((a?){9}){9}',
    ],
    ...[
      '\\s*\\s*\\s*\\s*x',
      '(?=(a+)+b)a*',
      '(?<!(a+)+b)a*',
      '(?<x>a+)*\\k<x>',
      '[\\[\\]]*(a+)+',
      '(?:[[a-z]]+)+x',
    ],
    ...['a{0,99}a{0,99}a{0,99}b', '(a+){0}(b+)+', '(a+?)+?'],
  ])('leaves %j on 100 characters to the gateway', (pattern) => {
    expect(isQuick(pattern, 100)).toBe(false);
  });

  test('gets no hostile pattern with which V8 takes long', () => {
    for (const { pattern, refusal } of PATTERNS) {
      // An emoji of several characters is thousands of alternatives.
      if (refusal?.includes('whole texts') || refusal?.startsWith('This is not a valid')) continue;
      for (const text of TEXTS) {
        if (!isQuick(pattern, text.length)) continue;
        const startedAt = process.cpuUsage();
        inBrowsers(pattern).test(text);
        expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(1000);
      }
    }
  });
});
