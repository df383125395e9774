import { describe, expect, test } from '@jest/globals';
import { validationSummary } from '../../../src/forms/validation/entry-messages.js';
import { validationMessage } from '../../../src/forms/validation/validation-messages.js';

const locales = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];
const plain = ['required', 'consent', 'type', 'single', 'choice', 'email', 'url', 'number', 'date'] as const;
const more = ['time', 'step', 'pattern', 'tick', 'too_costly', 'too_deep', 'too_many'] as const;
const limited = ['too_long', 'too_short', 'too_low', 'too_high', 'too_many_items'] as const;

describe.each(locales)('in %s', (locale) => {
  test('every fault has a message of its own', () => {
    const messages = [
      ...[...plain, ...more].map((code) => validationMessage({ code }, locale)),
      ...limited.map((code) => validationMessage({ code, limit: 7 }, locale)),
      validationSummary(locale),
    ];
    expect(new Set(messages).size).toBe(plain.length + more.length + limited.length + 1);
    for (const message of messages) expect(message).toMatch(/^\p{Lu}[^{}]+\.$/u);
  });
});

test('no language repeats another', () => {
  const required = locales.map((locale) => validationMessage({ code: 'required' }, locale));
  expect(new Set(required).size).toBe(locales.length);
});

test.each(['ja', '', 'constructor', 'en-GB'])('%j is English', (locale) => {
  expect(validationSummary(locale)).toBe(validationSummary('en'));
});

test('limits are formatted for the language', () => {
  expect(validationMessage({ code: 'too_long', limit: 10_000 }, 'de')).toContain('10.000');
  expect(validationMessage({ code: 'too_low', limit: 0.5 }, 'fr')).toContain('0,5');
  expect(validationMessage({ code: 'too_low', limit: '2026-02-01' }, 'fr')).toContain('1 février 2026');
  expect(validationMessage({ code: 'too_low', limit: '09:30' }, 'fr')).toContain('09:30');
});
