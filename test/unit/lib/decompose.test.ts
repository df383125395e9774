import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decompose } from '../../../src/lib/text/decompose.js';

test.each([
  ['a letter with marks', `a${'\u0344'.repeat(5_000)}${'\u0323'.repeat(5_000)}`],
  ['sound marks of half width', `ｶ${'\uff9e\u0344'.repeat(5_000)}`],
])('of a run of marks 30 stay: %s', (_what, text) => {
  expect(decompose(text)).toBe(text.slice(0, 31).normalize('NFKD'));
});

test('a text in which no run is longer is normalised as a whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      fc.pre(!/[\p{M}\uff9e\uff9f]{31}/u.test(text));
      expect(decompose(text)).toBe(text.normalize('NFKD'));
    }),
  );
});
