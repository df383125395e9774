import { expect, test } from '@jest/globals';
import { localizedChoice, localizedLabel, localizeForm } from '../../../src/forms/definition/translate.js';
import { httpUrlOrNull } from '../../../src/lib/text/http-url.js';
import { field, form } from './forms.js';

const email = field('email', {
  label: 'E-mail',
  placeholder: 'nom@exemple.fr',
  helpText: 'Aide',
  linkUrl: 'https://acme.test/fr',
  translations: { en: { label: 'E-mail address', placeholder: '', linkUrl: 'javascript:alert(1)' } },
});
const topic = field('topic', {
  type: 'select',
  options: [
    { value: 'quote', label: 'Devis' },
    { value: 'constructor', label: 'Autre' },
  ],
  translations: { en: { options: { quote: 'Quote' } } },
});
const contact = form([email, topic], {
  texts: {
    submitButtonText: 'Envoyer',
    confirmationMessage: 'Merci.',
    privacyNoticeText: 'Vos données',
    privacyNoticeUrl: 'https://acme.test/rgpd',
  },
  translations: { en: { submitButtonText: 'Send', privacyNoticeText: null, privacyNoticeUrl: 'ftp://x' } },
});

test('each text falls back on the source language separately', () => {
  const { locale, texts, fields } = localizeForm(contact, 'en');
  expect(locale).toBe('en');
  expect(texts).toEqual({
    submitButtonText: 'Send',
    confirmationMessage: 'Merci.',
    privacyNoticeText: 'Vos données',
    privacyNoticeUrl: 'https://acme.test/rgpd',
  });
  expect(fields[0]).toMatchObject({
    label: 'E-mail address',
    placeholder: 'nom@exemple.fr',
    helpText: 'Aide',
    linkUrl: 'https://acme.test/fr',
  });
  expect(fields[0]).not.toHaveProperty('translations');
  expect(fields[1]!.options).toEqual([
    { value: 'quote', label: 'Quote' },
    { value: 'constructor', label: 'Autre' },
  ]);
});

test('an option without a label is shown by its value, in every language', () => {
  const city = field('city', {
    type: 'select',
    options: [{ value: 'Paris', label: '' }],
    translations: { en: { options: { Paris: '' } }, de: { options: { Paris: 'Hauptstadt' } } },
  });
  const shown = (locale: string) => [
    localizedChoice(city, 'Paris', locale),
    localizeForm(form([city]), locale).fields[0]!.options[0]!.label,
  ];
  expect(shown('fr')).toEqual(['Paris', 'Paris']);
  expect(shown('en')).toEqual(['Paris', 'Paris']);
  expect(shown('de')).toEqual(['Hauptstadt', 'Hauptstadt']);
});

test('the source language gives the form unchanged', () => {
  expect(localizeForm(contact, 'fr').texts).toEqual(contact.texts);
  expect(localizeForm(contact, 'constructor').fields[0]!.label).toBe('E-mail');
});

test('attributes carry no script and no other address than http(s)', () => {
  const attributes = {
    maxlength: '9',
    onfocus: 'alert(1)',
    OnClick: 'alert(1)',
    formaction: 'javascript:alert(1)',
    data: 'javascript:alert(1)',
    ping: 'https://acme.test/a /b',
    srcset: 'data:image/png;base64,AA 2x',
    'data-online': 'javascript:alert(1)',
    src: 'https://acme.test/a.png',
    pattern: 'a:b',
  };
  expect(localizeForm(form([field('a', { attributes })]), 'fr').fields[0]!.attributes).toEqual({
    maxlength: '9',
    'data-online': 'javascript:alert(1)',
    src: 'https://acme.test/a.png',
    pattern: 'a:b',
  });
});

test.each([
  ['https://acme.test/a', true],
  ['HTTP://acme.test', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['//acme.test', false],
  ['/rgpd', false],
  [' https://acme.test', false],
  ['https://', false],
  ['java\nscript:alert(1)', false],
  ['', false],
  [null, false],
])('%j is an http(s) address: %s', (address, isUsable) => {
  expect(httpUrlOrNull(address)).toBe(isUsable ? address : null);
});

test('a label has the language that its text is in', () => {
  expect(localizedLabel(contact, email, 'en')).toEqual({ label: 'E-mail address', locale: 'en' });
  expect(localizedLabel(contact, topic, 'en')).toEqual({ label: 'topic', locale: 'fr' });
});
