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
    ['platform language, not offered', 'de', choice, 'fr'],
    ['platform language, not offered, though the website’s', 'de', websiteNotOffered, 'fr'],
    ['empty, website offered', '', choice, 'en'],
    ['empty, website not offered', '', websiteNotOffered, 'fr'],
    ['empty, source only', '', sourceOnly, 'fr'],
    ['no platform language, website offered', 'ja', choice, 'en'],
    ['no platform language, website not offered', 'ja', websiteNotOffered, 'fr'],
    ['upper case', 'EN', websiteIsSource, 'en'],
    ['regional, offered by its base', 'en-GB', websiteIsSource, 'en'],
    ['regional, platform but not offered', 'de-AT', choice, 'fr'],
    ['nonsense', '~~~', choice, 'en'],
    ['a name of every object', 'constructor', choice, 'en'],
  ])('%s: %j', (_, requested, given, expected) => {
    expect(configurationLocale(requested, given)).toBe(expected);
  });
});

describe('the language of a submission', () => {
  test.each([
    ['form locale offered', 'en', 'fr', websiteIsSource, 'en'],
    ['form locale offered by its base', 'en-GB', null, websiteIsSource, 'en'],
    ['form locale in upper case', 'EN', null, websiteIsSource, 'en'],
    ['form locale not offered, page offered', 'de', 'en', websiteIsSource, 'en'],
    ['form locale not offered, page not offered', 'de', 'es', choice, 'fr'],
    ['form locale not offered, no page, website offered', 'de', null, choice, 'en'],
    ['form locale unknown, no page, website not offered', 'xx', null, websiteNotOffered, 'fr'],
    ['page offered', null, 'en', websiteIsSource, 'en'],
    ['page regional, offered by its base', null, 'en-GB', websiteIsSource, 'en'],
    ['page regional with underscore', null, 'en_US', websiteIsSource, 'en'],
    ['page in upper case', null, 'EN', websiteIsSource, 'en'],
    ['page a platform language, not offered', null, 'de', choice, 'fr'],
    ['page regional platform language, not offered', null, 'de-AT', choice, 'fr'],
    ['page no platform language, website offered', null, 'ja-JP', choice, 'en'],
    ['page no platform language, website not offered', null, 'ja', websiteNotOffered, 'fr'],
    ['nothing, website offered', null, null, choice, 'en'],
    ['nothing, website not offered', null, null, websiteNotOffered, 'fr'],
    ['empty texts', '', '', choice, 'en'],
    ['source only', null, 'en', sourceOnly, 'fr'],
    ['nonsense', '---', '***', choice, 'en'],
  ])('%s', (_, formLocale, pageLocale, given, expected) => {
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
