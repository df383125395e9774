import { expect, test } from '@jest/globals';
import { host as hostSchema, isHostOfPages, normaliseHost } from '../../../src/websites/host.js';
import { isOwnOrigin } from '../../../src/websites/origin.js';

type Row = readonly [origin: string | undefined, verdict: boolean];

/** Origins and whether each is that of the website of the host above them. */
const TABLE: Record<string, readonly Row[]> = {
  'www.acme.test': [
    ['https://www.acme.test', true],
    ['http://www.acme.test', true],
    ['https://www.acme.test:8443', true],
    ['http://www.acme.test:1', true],
    // No origin at all.
    [undefined, false],
    ['', false],
    [' ', false],
    ['null', false],
    ['*', false],
    ['undefined', false],
    ['www.acme.test', false],
    ['//www.acme.test', false],
    ['https:', false],
    ['https://', false],
    // More than an origin.
    ['https://www.acme.test/', false],
    ['https://www.acme.test/path', false],
    ['https://www.acme.test?', false],
    ['https://www.acme.test?a=b', false],
    ['https://www.acme.test#', false],
    ['https://www.acme.test#a', false],
    [' https://www.acme.test', false],
    ['https://www.acme.test ', false],
    ['https://www.acme.test\t', false],
    ['https://www.acme\n.test', false],
    ['https://www.acme.test\0', false],
    ['https://www.acme.test, https://www.acme.test', false],
    ['https://www.acme.test https://evil.test', false],
    // User info.
    ['https://user@www.acme.test', false],
    ['https://user:secret@www.acme.test', false],
    ['https://@www.acme.test', false],
    ['https://www.acme.test@evil.test', false],
    ['https://www.acme.test:443@evil.test', false],
    ['https://evil.test@www.acme.test', false],
    // Ports that no browser writes.
    ['https://www.acme.test:443', false],
    ['http://www.acme.test:80', false],
    ['https://www.acme.test:', false],
    ['https://www.acme.test:0443', false],
    ['https://www.acme.test:65536', false],
    ['https://www.acme.test:-1', false],
    // Suffixes and prefixes.
    ['https://acme.test', false],
    ['https://evilwww.acme.test', false],
    ['https://evil-www.acme.test', false],
    ['https://evil.www.acme.test', false],
    ['https://www.acme.test.evil.test', false],
    ['https://www.acme.testevil', false],
    ['https://www.acme.test-evil.test', false],
    ['https://www.acme.tes', false],
    ['https://www.acme', false],
    ['https://wwwxacme.test', false],
    ['https://test.acme.www', false],
    // What parsers disagree about.
    ['https://www.acme.test\\.evil.test', false],
    ['https://www.acme.test\\@evil.test', false],
    ['https:\\\\www.acme.test', false],
    ['https:/www.acme.test', false],
    ['https:www.acme.test', false],
    ['https:///www.acme.test', false],
    ['https://www.acme.test%2eevil.test', false],
    ['https://www%2eacme.test', false],
    ['https://www.acme.test%00', false],
    ['https://www。acme。test', false],
    ['https://ｗｗｗ.acme.test', false],
    ['https://www.ac\u00adme.test', false],
    ['https://www.аcme.test', false],
    // Trailing dots and upper case.
    ['https://www.acme.test.', false],
    ['https://www.acme.test..', false],
    ['https://www..acme.test', false],
    ['https://.www.acme.test', false],
    ['https://WWW.acme.test', false],
    ['https://www.Acme.test', false],
    ['HTTPS://www.acme.test', false],
    // Other schemes.
    ['ftp://www.acme.test', false],
    ['ws://www.acme.test', false],
    ['wss://www.acme.test', false],
    ['file://www.acme.test', false],
    ['chrome-extension://www.acme.test', false],
    ['app://www.acme.test', false],
    ['javascript://www.acme.test', false],
    ['blob:https://www.acme.test', false],
    ['view-source:https://www.acme.test', false],
    // Addresses of the same machine are not its name.
    ['https://192.0.2.1', false],
    ['https://[2001:db8::1]', false],
    ['https://localhost', false],
  ],
  'shop.acme.test:8443': [
    ['https://shop.acme.test:8443', true],
    ['http://shop.acme.test:8443', true],
    ['https://shop.acme.test', false],
    ['https://shop.acme.test:844', false],
    ['https://shop.acme.test:84430', false],
    ['https://shop.acme.test:08443', false],
    ['https://evil.test:8443', false],
  ],
  'élan.test': [
    ['https://xn--lan-9la.test', true],
    ['https://élan.test', false],
    ['https://XN--LAN-9LA.test', false],
    ['https://lan.test', false],
    ['https://elan.test', false],
  ],
  '127.0.0.1': [
    ['http://127.0.0.1', true],
    ['http://127.0.0.1:5173', true],
    ['http://127.1', false],
    ['http://2130706433', false],
    ['http://0x7f.0.0.1', false],
    ['http://127.0.0.1.', false],
    ['http://localhost', false],
  ],
  '[2001:db8::1]': [
    ['https://[2001:db8::1]', true],
    ['https://[2001:db8::1]:8443', true],
    ['https://[2001:DB8::1]', false],
    ['https://[2001:db8:0::1]', false],
    ['https://[2001:db8::2]', false],
    ['https://2001:db8::1', false],
  ],
  '[::1]:8080': [
    ['http://[::1]:8080', true],
    ['http://[::1]', false],
    ['http://[::1]:8081', false],
  ],
};

const rows = Object.entries(TABLE).flatMap(([host, list]) =>
  list.map(([origin, verdict]) => ({ host, origin, verdict, shown: JSON.stringify(origin) })),
);

test.each(rows)('the origin $shown is that of $host: $verdict', ({ host, origin, verdict }) => {
  const stored = normaliseHost(host);
  expect(stored).not.toBeNull();
  expect(isOwnOrigin(origin, stored!)).toBe(verdict);
});

test.each([
  '*.acme.fr',
  'a.fr,b.fr',
  'a.fr;b.fr',
  'www.acme,fr',
  '"x.test"',
  'a..fr',
  '.acme.fr',
  "o'acme.fr",
  '*',
])('the host %s is that of no page', (host) => {
  const stored = normaliseHost(host);
  expect(stored).not.toBeNull();
  expect(isHostOfPages(stored!)).toBe(false);
});

test.each(Object.keys(TABLE).concat('a_b.acme-2.fr', '75.example', 'xn--lan-9la.test:8080'))(
  'the host %s may be that of a page',
  (host) => expect(isHostOfPages(normaliseHost(host)!)).toBe(true),
);

test.each(['1', '127.1', '0x7f.0.0.1', '2130706433:8080'])(
  'the host %s, an IPv4 address that browsers write otherwise, is refused',
  (host) => expect(hostSchema.safeParse(host).success).toBe(false),
);
