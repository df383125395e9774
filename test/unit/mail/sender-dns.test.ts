import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSenderDns } from '../../../src/mail/sender-dns/sender-dns.js';
import { startDnsServer, type Zone } from '../../support/dns-server.js';

let dns: Awaited<ReturnType<typeof startDnsServer>>;

beforeAll(async () => {
  dns = await startDnsServer();
});
beforeEach(() => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name];
});
afterAll(() => dns?.stop());

const DMARC = { '_dmarc.agency.test': { txt: ['v=DMARC1; p=quarantine; rua=mailto:d@agency.test'] } };

/** What the checks find in a zone, by their names. */
async function found(zone: Zone, bounceDomain: string | null = null, domain = 'agency.test') {
  Object.assign(dns.zone, zone);
  const results = await createSenderDns({ domain, bounceDomain, servers: [dns.server] }).run();
  return Object.fromEntries(results.map(({ name, finding, detail }) => [name, [finding, detail]]));
}

/** What the check of SPF finds, for one record or several of the sender's domain. */
const spf = async (records: string | string[], others: Zone = {}) =>
  (await found({ ...others, ...DMARC, 'agency.test': { txt: [records].flat() } })).spf!;

/** A chain of domains, each of which includes the next one. */
const chain = (length: number): Zone =>
  Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `s${at}.test`,
      { txt: [at + 1 < length ? `v=spf1 include:s${at + 1}.test ~all` : 'v=spf1 ip4:192.0.2.1 ~all'] },
    ]),
  );

describe('SPF', () => {
  test('of one record with few look-ups is right, and the look-ups are counted through includes', async () => {
    const others = { 'mail.test': { txt: ['v=spf1 a mx ip4:192.0.2.0/24 ~all'] } };
    expect(await spf('v=spf1 mx include:mail.test -all', others)).toEqual([
      'ok',
      'agency.test, 4 of 10 look-ups',
    ]);
  });

  test('passes over other text records, and joins the pieces of a long one', async () => {
    const long = `v=spf1 ${Array.from({ length: 30 }, (_, at) => `ip4:192.0.2.${at}`).join(' ')} -all`;
    expect(await spf(['google-site-verification=x', long, 'v=spf10 all'])).toEqual([
      'ok',
      'agency.test, 0 of 10 look-ups',
    ]);
  });

  test('is missing where there is none', async () => {
    expect(await spf(['other'])).toEqual(['missing', 'agency.test']);
  });

  test('of two records is invalid to receivers', async () => {
    expect(await spf(['v=spf1 -all', 'v=spf1 mx -all'])).toEqual(['several_records', 'agency.test']);
  });

  test('may ask DNS ten times, and not eleven', async () => {
    expect((await spf('v=spf1 include:s0.test -all', chain(10)))[0]).toBe('ok');
    expect((await spf('v=spf1 include:s0.test -all', chain(11)))[0]).toBe('too_many_lookups');
    expect((await spf(`v=spf1 ${'a '.repeat(10)}-all`))[0]).toBe('ok');
    expect((await spf(`v=spf1 ${'a '.repeat(11)}-all`))[0]).toBe('too_many_lookups');
  });

  test('that refers to itself is found out', async () => {
    const others = { 'a.test': { txt: ['v=spf1 include:agency.test -all'] } };
    expect(await spf('v=spf1 include:a.test -all', others)).toEqual([
      'refers_to_itself',
      'agency.test → a.test → agency.test',
    ]);
  });

  test('that includes a domain without a record is broken', async () => {
    expect(await spf('v=spf1 include:gone.test -all')).toEqual([
      'broken_reference',
      'agency.test → gone.test',
    ]);
  });

  test('with a word that is no term is invalid', async () => {
    expect((await spf('v=spf1 includes:a.test -all'))[0]).toBe('invalid');
    expect((await spf('v=spf1 include: -all'))[0]).toBe('invalid');
  });

  test('follows a redirect, unless the record says all', async () => {
    const others = { 'r.test': { txt: ['v=spf1 a -all'] } };
    expect(await spf('v=spf1 redirect=r.test', others)).toEqual(['ok', 'agency.test, 2 of 10 look-ups']);
    expect(await spf('v=spf1 redirect=gone.test -all')).toEqual(['ok', 'agency.test, 0 of 10 look-ups']);
  });

  test('does not follow a macro, which only a message tells', async () => {
    expect(await spf('v=spf1 exists:%{i}.x.test include:%{d}.x.test -all')).toEqual([
      'ok',
      'agency.test, 2 of 10 look-ups',
    ]);
  });

  test('is unknown while DNS does not answer', async () => {
    const zone: Zone = { ...DMARC, 'agency.test': 'fails' };
    expect((await found(zone)).spf![0]).toBe('unknown');
  });
});

describe('DMARC', () => {
  test('is right with a policy', async () => {
    expect((await found(DMARC)).dmarc).toEqual(['ok', expect.stringContaining('p=quarantine')]);
  });

  test.each<[string, Zone, string]>([
    ['missing', {}, 'missing'],
    [
      'invalid without a policy',
      { '_dmarc.agency.test': { txt: ['v=DMARC1; rua=mailto:a@b.test'] } },
      'invalid',
    ],
    [
      'ambiguous with two records',
      { '_dmarc.agency.test': { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] } },
      'several_records',
    ],
  ])('is %s', async (_, zone, finding) => {
    expect((await found(zone)).dmarc![0]).toBe(finding);
  });

  test.each([
    ['mail.agency.co.uk', '_dmarc.agency.co.uk'],
    ['mail.agency.co.uk', '_dmarc.mail.agency.co.uk'],
    ['a.b.c.d.agency.test', '_dmarc.agency.test'],
    ['a.b.c.d.e.f.g.h.i.agency.test', '_dmarc.agency.test'],
  ])('of %s is found at %s', async (domain, name) => {
    const { dmarc } = await found({ [name]: { txt: ['v=DMARC1; p=reject'] } }, null, domain);
    expect(dmarc).toEqual(['ok', `${name}: v=DMARC1; p=reject`]);
  });

  test('is that of the nearest domain, and missing where none above has one', async () => {
    const zone: Zone = {
      '_dmarc.agency.co.uk': { txt: ['v=DMARC1; p=none'] },
      '_dmarc.uk': { txt: ['v=DMARC1; p=reject'] },
    };
    const nearest = await found(zone, null, 'mail.agency.co.uk');
    expect(nearest.dmarc).toEqual(['ok', '_dmarc.agency.co.uk: v=DMARC1; p=none']);
    const { dmarc } = await found({}, null, 'mail.agency.org.test');
    expect(dmarc).toEqual(['missing', '_dmarc.mail.agency.org.test']);
  });
});

describe('the MX of BOUNCE_DOMAIN', () => {
  const domain = 'bounces.agency.test';

  test('is asked for where there is such a domain', async () => {
    expect((await found(DMARC)).bounce_mx).toBeUndefined();
    expect((await found({ [domain]: { mx: ['mx.agency.test'] } }, domain)).bounce_mx).toEqual([
      'ok',
      'bounces.agency.test → mx.agency.test',
    ]);
  });

  test('is missing where no server takes its mail', async () => {
    expect((await found({ [domain]: { txt: ['x'] } }, domain)).bounce_mx).toEqual(['missing', domain]);
  });
});

describe('SPF of BOUNCE_DOMAIN', () => {
  const domain = 'bounces.agency.test';
  const own: Zone = { ...DMARC, 'agency.test': { txt: ['v=spf1 -all'] } };

  test('is asked for where there is such a domain, beside that of the sender', async () => {
    expect((await found(own)).bounce_spf).toBeUndefined();
    const { spf: ofSender, bounce_spf: ofBounces } = await found(
      { ...own, [domain]: { txt: ['v=spf1 include:agency.test -all'] } },
      domain,
    );
    expect(ofSender).toEqual(['ok', 'agency.test, 0 of 10 look-ups']);
    expect(ofBounces).toEqual(['ok', 'bounces.agency.test, 1 of 10 look-ups']);
  });

  test('is missing although the sender has one', async () => {
    const { spf: ofSender, bounce_spf: ofBounces } = await found(own, domain);
    expect([ofSender![0], ofBounces]).toEqual(['ok', ['missing', domain]]);
  });
});

test.each(['formgate.test', 'test', 'mail.agency.example'])(
  'no public resolver is asked about %s',
  async (domain) => {
    const senderDns = createSenderDns({ domain, bounceDomain: 'bounces.agency.test', servers: null });
    expect(await senderDns.run()).toEqual([]);
  },
);
