import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  httpUrlOrNull,
  isHttpUrl,
  isWebAddress,
  parseAnyUrl,
  parseUrl,
} from '../../../src/lib/text/http-url.js';

const BASE = 'https://www.example.com/a/b';
/** As long as the name of a host with a port can be, and one character more. */
const [LONGEST, TOO_LONG] = ['a'.repeat(260), 'a'.repeat(261)];

describe('a host that is longer than any can be', () => {
  test.each([
    `https://${TOO_LONG}`,
    `HTTPS://${TOO_LONG}/path`,
    `http:///\\/${TOO_LONG}/`,
    `https://${TOO_LONG}?query`,
    `https://user:${TOO_LONG}@example.com/`,
  ])('is refused in %j', (address) => {
    expect(new URL(address).href).not.toBe('');
    expect([isWebAddress(address), isHttpUrl(address), httpUrlOrNull(address), parseUrl(address)]).toEqual([
      false,
      false,
      null,
      null,
    ]);
  });

  test.each([
    `  https:${TOO_LONG}`,
    `https:/\t/\n${TOO_LONG}`,
    `//${TOO_LONG}/formgate.js`,
    `\\\\${TOO_LONG}`,
    `\u0001https:\\${TOO_LONG}#`,
    `ht\ntps://${'é'.repeat(261)}`,
  ])('is refused in %j, whatever browsers repair', (address) => {
    expect(new URL(address, BASE).href).not.toBe('');
    expect(parseUrl(address, BASE)).toBeNull();
  });
});

test.each([
  `https://\t/${TOO_LONG}`,
  `https://${`${'a'.repeat(200)}\n`.repeat(9)}`,
  'https://example.com/\r',
])('tabs and line breaks, which would hide such a host, are refused: %j', (address) => {
  expect(new URL(address).href).not.toBe('');
  expect(isWebAddress(address)).toBe(false);
});

test.each([
  `https://${LONGEST}`,
  `https:///${LONGEST}/${'p'.repeat(3_000)}`,
  `https://example.com?${'q'.repeat(3_000)}`,
  `https://example.com\\${'p'.repeat(3_000)}`,
  `https://example.com#${'f'.repeat(3_000)}`,
])('what follows a host may be long: %j', (address) => {
  expect(isWebAddress(address)).toBe(true);
  expect(parseUrl(address)?.href).toBe(new URL(address).href);
});

test.each([
  TOO_LONG,
  `/${TOO_LONG}`,
  `\\${TOO_LONG}`,
  `/${TOO_LONG}/${TOO_LONG}`,
  ` ./${TOO_LONG}`,
  `?${TOO_LONG}`,
])('a relative address whose path has a long segment is no long host: %j', (address) => {
  expect(parseUrl(address, BASE)?.href).toBe(new URL(address, BASE).href);
});

/** What the platform makes of an address; undefined when it is none. */
function hrefOf(address: string, base?: string): string | undefined {
  try {
    return new URL(address, base).href;
  } catch {
    return undefined;
  }
}

// More calls than the engine runs before it compiles a function: from then on its `URL.canParse` refused them.
test('letters of Latin-1 are taken however often an address is read', () => {
  const address = 'https://www.société.example/für';
  const refused = Array.from({ length: 20_000 }, () => parseAnyUrl(address)).filter((url) => url === null);
  expect(refused).toEqual([]);
});

test('any other text is parsed as the platform does', () => {
  const piece = fc.constantFrom(
    'http',
    's',
    ':',
    '/',
    '\\',
    'é',
    'a',
    '.',
    '?',
    '#',
    '@',
    ' ',
    '\t',
    '[::1]',
    '%2f',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(text, fc.constantFrom(undefined, BASE), (address, base) => {
      expect(parseUrl(address, base)?.href).toBe(hrefOf(address, base));
      expect(isWebAddress(address)).toBe(/^https?:\/\/[^\t]+$/i.test(address) && Boolean(hrefOf(address)));
    }),
    { numRuns: 2_000 },
  );
});
