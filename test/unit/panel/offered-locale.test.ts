import { expect, test } from '@jest/globals';
import { offeredLocale } from '../../../web/panel/parts/offered-locale.js';

test('a new website or form begins with a language that the installation offers', () => {
  expect(offeredLocale(['fr', 'en'], 'en-GB')).toBe('en');
  expect(offeredLocale(['fr', 'de'], 'en-GB')).toBe('fr');
});
