import { describe, expect, test } from '@jest/globals';
import { isEmailAddress } from '../../../src/lib/text/email-address.js';
import { printable, singleLine } from '../../../src/lib/text/text.js';

describe('isEmailAddress', () => {
  test.each(['a@b', "o'hara+form@mail.acme.test", 'a.b@xn--caf-dma.test', `${'a'.repeat(244)}@acme.test`])(
    'takes %s',
    (text) => {
      expect(isEmailAddress(text)).toBe(true);
    },
  );

  test.each([
    '',
    'a',
    '@acme.test',
    'a@',
    'a@-acme.test',
    'a@acme..test',
    'a b@acme.test',
    'a@acme.test\n',
    'a@acme.test,b@acme.test',
    '<a@acme.test>',
    'é@acme.test',
    `${'a'.repeat(245)}@acme.test`,
  ])('refuses %j', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });

  test('checks hostile text in linear time', () => {
    const startedAt = Date.now();
    isEmailAddress(`a@${'a-'.repeat(500_000)}`);
    isEmailAddress(`a@${'a.'.repeat(120)}-`);
    expect(Date.now() - startedAt).toBeLessThan(50);
  });
});

test.each([
  ['a\r\nb\rc\nd\u2028e\u2029f', 'a\nb\nc\nd\ne\nf'],
  ['\u0000\u001b\u007f\u0085', '\ufffd\ufffd\ufffd\ufffd'],
  ['\ud83d x \ude00', '\ufffd x \ufffd'],
  ['tab\tand é 😀  stay ', 'tab\tand é 😀  stay '],
])('printable turns %j into %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

test.each([
  [' Acme\r\nBcc: eve@evil.test ', 'Acme Bcc: eve@evil.test'],
  ['Acme\u0000\u0000Paris', 'Acme Paris'],
  ['Acme \u202etset.live\u202c', 'Acme tset.live'],
])('singleLine turns %j into %j', (text, expected) => {
  expect(singleLine(text)).toBe(expected);
});
