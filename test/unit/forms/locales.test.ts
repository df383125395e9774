import { describe, expect, test } from '@jest/globals';
import {
  baseLocale,
  configurationLocale,
  confirmationMessage,
  offeredLocales,
  submissionLocale,
} from '../../../src/forms/definition/locales.js';

const platformLocales = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];
const choice = { offered: ['fr', 'en'], source: 'fr', websiteLocale: 'en', platformLocales };
const websiteNotOffered = { ...choice, websiteLocale: 'de' };
const websiteIsSource = { ...choice, websiteLocale: 'fr' };
const sourceOnly = { ...choice, offered: ['fr'] };

test.each([
  ['fr', 'fr'],
  ['en-GB', 'en'],
  ['EN_gb', 'en'],
  ['zh-Hant-TW', 'zh'],
  [' PT ', 'pt'],
  ['', ''],
  ['-', ''],
])('the base of %j is %j', (tag, base) => {
  expect(baseLocale(tag)).toBe(base);
});

test('a form offers its source language and its translations, each once', () => {
  expect(offeredLocales({ sourceLocale: 'fr', translations: { en: {}, fr: {}, de: {} } })).toEqual([
    'fr',
    'en',
    'de',
  ]);
});

describe('the language of a form definition', () => {
  test.each([
    ['offered', 'en', choice, 'en'],
    ['offered, not the website’s', 'en', websiteIsSource, 'en'],
    ['offered, the source', 'fr', choice, 'fr'],
    ['a platform language, not offered', 'de', choice, 'fr'],
    ['a platform language, not offered, though the website’s', 'de', websiteNotOffered, 'fr'],
    ['empty, website offered', '', choice, 'en'],
    ['empty, website not offered', '', websiteNotOffered, 'fr'],
    ['empty, with the source language only', '', sourceOnly, 'fr'],
    ['no platform language, website offered', 'ja', choice, 'en'],
    ['no platform language, website not offered', 'ja', websiteNotOffered, 'fr'],
    ['upper case', 'EN', websiteIsSource, 'en'],
    ['regional, offered by its base', 'en-GB', websiteIsSource, 'en'],
    ['regional, of the platform but not offered', 'de-AT', choice, 'fr'],
    ['nonsense', '~~~', choice, 'en'],
    ['a name of every object', 'constructor', choice, 'en'],
  ])('for a request that is %s, %j, is chosen from %j: %s', (_, requested, given, expected) => {
    expect(configurationLocale(requested, given)).toBe(expected);
  });
});

describe('the language of a submission', () => {
  test.each([
    ['a form locale offered', 'en', 'fr', websiteIsSource, 'en'],
    ['a form locale offered by its base', 'en-GB', null, websiteIsSource, 'en'],
    ['a form locale in upper case', 'EN', null, websiteIsSource, 'en'],
    ['a form locale not offered, page offered', 'de', 'en', websiteIsSource, 'en'],
    ['a form locale not offered, page not offered', 'de', 'es', choice, 'fr'],
    ['a form locale not offered, no page, website offered', 'de', null, choice, 'en'],
    ['an unknown form locale, no page, website not offered', 'xx', null, websiteNotOffered, 'fr'],
    ['a page offered', null, 'en', websiteIsSource, 'en'],
    ['a regional page, offered by its base', null, 'en-GB', websiteIsSource, 'en'],
    ['a regional page with underscore', null, 'en_US', websiteIsSource, 'en'],
    ['a page in upper case', null, 'EN', websiteIsSource, 'en'],
    ['a page of a platform language, not offered', null, 'de', choice, 'fr'],
    ['a page of a regional platform language, not offered', null, 'de-AT', choice, 'fr'],
    ['a page of no platform language, website offered', null, 'ja-JP', choice, 'en'],
    ['a page of no platform language, website not offered', null, 'ja', websiteNotOffered, 'fr'],
    ['nothing, website offered', null, null, choice, 'en'],
    ['nothing, website not offered', null, null, websiteNotOffered, 'fr'],
    ['empty texts', '', '', choice, 'en'],
    ['the source language only', null, 'en', sourceOnly, 'fr'],
    ['nonsense', '---', '***', choice, 'en'],
  ])('with %s, %j and %j, is chosen from %j: %s', (_, formLocale, pageLocale, given, expected) => {
    expect(submissionLocale(formLocale, pageLocale, given)).toBe(expected);
  });

  test('a form may offer a regional language as such', () => {
    const regional = { ...choice, offered: ['fr', 'pt-br', 'pt'] };
    expect(submissionLocale('pt-BR', null, regional)).toBe('pt-br');
    expect(submissionLocale('pt-AO', null, regional)).toBe('pt');
  });
});

test.each([
  ['in the website’s language', 'fr', 'fr', 'Ours', 'Ours'],
  ['in the website’s regional language', 'fr', 'fr-BE', 'Ours', 'Ours'],
  ['in another language', 'en', 'fr', 'Ours', 'Theirs'],
  ['without an override', 'fr', 'fr', null, 'Theirs'],
  ['with an empty override', 'fr', 'fr', '', 'Theirs'],
])('the confirmation message %s', (_, locale, websiteLocale, override, expected) => {
  expect(confirmationMessage(locale, websiteLocale, override, 'Theirs')).toBe(expected);
});
