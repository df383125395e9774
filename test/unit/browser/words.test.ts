import { expect, test } from '@jest/globals';
import type { Reason } from '../../../web/script/submission.js';
import { failureText, waitText, wordsOf } from '../../../web/script/words.js';

const locales = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];

test.each(locales)('%s says each failure in a sentence of its own', (locale) => {
  const reasons: Exclude<Reason, 'invalid'>[] = [
    'captcha',
    'too_large',
    'too_many',
    'unreachable',
    'unavailable',
  ];
  const texts = reasons.map((reason) => failureText(reason, 42, locale));
  expect(new Set(texts).size).toBe(reasons.length);
  for (const text of texts) expect(text).toMatch(/^\p{Lu}[^{}]+\.$/u);
  expect(texts[2]).toContain('42');
});

test('a final error does not ask for another try', () => {
  for (const reason of ['refused', 'captcha_unavailable'] as const) {
    expect(failureText(reason, null, 'en')).toBe('This form is not available here at the moment.');
  }
});

test('no language repeats another', () => {
  for (const key of ['captcha', 'too_large', 'unreachable', 'sending', 'privacy'] as const) {
    expect(new Set(locales.map((locale) => wordsOf(locale)[key])).size).toBe(locales.length);
  }
});

test.each(['ja', '', 'constructor', 'en-GB'])('%j has English words', (locale) => {
  expect(wordsOf(locale)).toEqual(wordsOf('en'));
});

test.each([
  [1, 'fr', '1 seconde'],
  [0, 'en', '1 second'],
  [59.2, 'de', '60 Sekunden'],
  [90, 'en', '90 seconds'],
  [91, 'fr', '2 minutes'],
  [3600, 'es', '60 minutos'],
])('a wait of %d seconds is said in %s as %s', (seconds, locale, text) => {
  expect(waitText(seconds, locale).replaceAll('\u00a0', ' ')).toBe(text);
});

test('a 429 without Retry-After says a minute', () => {
  expect(failureText('too_many', null, 'en')).toContain('60 seconds');
});
