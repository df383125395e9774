import { expect, test } from '@jest/globals';
import { addOptionLabels } from '../../../src/forms/definition/form.mapper.js';
import type { FieldDefinition } from '../../../src/forms/definition/form-definition.js';

test('labels are added to the translations of their languages, also those of values that every object has', () => {
  const translations: FieldDefinition['translations'] = { fr: { label: 'Champ' } };
  addOptionLabels(translations, [
    { locale: 'fr', value: '1', label: 'Un' },
    { locale: 'de', value: '1', label: 'Eins' },
    { locale: 'fr', value: '__proto__', label: 'Deux' },
  ]);
  expect(translations.de).toEqual({ options: { '1': 'Eins' } });
  expect(translations.fr?.label).toBe('Champ');
  expect(Object.entries(translations.fr?.options ?? {})).toEqual([
    ['1', 'Un'],
    ['__proto__', 'Deux'],
  ]);
});

test('tens of thousands of labels are added at once, not each to a copy of those before', () => {
  const labels = Array.from({ length: 40_000 }, (_, index) => ({
    locale: 'fr',
    value: `option ${index}`,
    label: 'x',
  }));
  const translations: FieldDefinition['translations'] = {};
  addOptionLabels(translations, labels);
  expect(Object.keys(translations.fr?.options ?? {})).toHaveLength(40_000);
});
