import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readContext } from '../../../src/forms/validation/context-fields.js';

const nothing = {
  pageUrl: null,
  pageTitle: null,
  pageLocale: null,
  formLocale: null,
  visitorHash: null,
  captchaFallback: null,
};

describe('reading the context fields', () => {
  test('keeps those that are sent', () => {
    const body = {
      page_url: 'https://acme.test/contact?a=1',
      page_title: 'Contact',
      page_locale: 'en-GB',
      form_locale: 'en',
      visitor_hash: 'a'.repeat(64),
      captcha_fallback: 'token',
      email: 'kept for the form',
    };
    expect(readContext(body)).toEqual({
      context: {
        pageUrl: body.page_url,
        pageTitle: 'Contact',
        pageLocale: 'en-GB',
        formLocale: 'en',
        visitorHash: body.visitor_hash,
        captchaFallback: 'token',
      },
      faults: {},
    });
  });

  test.each([
    ['page_url', 'javascript:alert(1)'],
    ['page_url', 'not an address'],
    ['page_url', `https://acme.test/${'a'.repeat(5000)}`],
    ['page_url', 7],
    ['page_url', null],
    ['page_title', ''],
    ['page_title', {}],
    ['page_locale', null],
    ['form_locale', ''],
    ['visitor_hash', 'short'],
    ['visitor_hash', `${'a'.repeat(64)}\n`],
    ['visitor_hash', {}],
    ['captcha_fallback', []],
    ['captcha_fallback', 'a'.repeat(4097)],
  ])('drops %s: %j', (name, value) => {
    expect(readContext({ [name]: value })).toEqual({ context: nothing, faults: {} });
  });

  test.each([
    ['a'.repeat(1001), 'a'.repeat(1000)],
    ['😀'.repeat(1000), '😀'.repeat(1000)],
    [`${'a'.repeat(999)}😀b`, `${'a'.repeat(999)}😀`],
  ])('cuts a long title to 1,000 characters', (title, kept) => {
    expect(readContext({ page_title: title })).toEqual({
      context: { ...nothing, pageTitle: kept },
      faults: {},
    });
  });

  test.each([
    ['page_locale', 'a'.repeat(36), { code: 'too_long', limit: 35 }],
    ['form_locale', 'a'.repeat(11), { code: 'too_long', limit: 10 }],
    ['page_locale', '😀'.repeat(36), { code: 'too_long', limit: 35 }],
    ['page_locale', 7, { code: 'type' }],
    ['form_locale', ['en'], { code: 'type' }],
  ])('refuses %s: %j', (name, value, fault) => {
    expect(readContext({ [name]: value })).toEqual({ context: nothing, faults: { [name]: [fault] } });
  });

  test('accepts values at their limits, and replaces what PostgreSQL cannot hold', () => {
    const { context, faults } = readContext({
      page_locale: 'a'.repeat(35),
      form_locale: 'a'.repeat(10),
      page_title: 'a\0\ud800b',
    });
    expect(faults).toEqual({});
    expect(context.pageTitle).toBe('a\uFFFD\uFFFDb');
  });

  test('never throws', () => {
    const names = [
      'page_url',
      'page_title',
      'page_locale',
      'form_locale',
      'visitor_hash',
      'captcha_fallback',
    ];
    const body = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    fc.assert(fc.property(body, (sent) => void readContext(sent)));
  });
});
