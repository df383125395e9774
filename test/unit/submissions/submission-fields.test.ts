import { expect, test } from '@jest/globals';
import { shownFields } from '../../../src/submissions/inbox/submission-fields.js';

test('a consent that the form no longer has is shown with its text, or its name where it had none', () => {
  const consents = { terms: { label: 'I agree', locale: 'en' }, news: { label: '', locale: 'en' } };
  const shown = shownFields({ locale: 'en', values: { terms: true, news: true }, consents }, []);
  expect(shown.map(({ label }) => label)).toEqual(['I agree', 'news']);
});
