import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attribute } from '../../../src/notifications/bounces/bounces.service.js';
import { readDeliveryReport } from '../../../src/notifications/bounces/delivery-report.js';
import { BOUNCES, DELAYED, DELIVERED, QMAIL, type ReportShape } from '../../support/delivery-reports.js';

const to = 'desk@client.test';
const returnPath = 'b+00@bounces.agency.test';

const read = (shape: ReportShape) => readDeliveryReport(Buffer.from(shape({ to, returnPath })));

const said: Readonly<Record<string, [string, RegExp]>> = {
  Postfix: ['5.1.1', /Recipient address rejected: User unknown in local recipient table$/],
  Exim: ['5.0.0', /^550 No such person at this address$/],
  Exchange: ['5.1.10', /RESOLVER\.ADR\.RecipientNotFound/],
  Gmail: ['5.1.1', /account that you tried to reach does not exist/],
  Sendmail: ['5.7.1', /^550 5\.7\.1 Blocked$/],
  Zimbra: ['5.2.2', /Over quota$/],
  OVH: ['5.1.2', /Host or domain name not found/],
  'an internationalized server': ['5.1.1', /Boîte inconnue$/],
  'a server that gave up after five days': ['4.4.1', /Connection timed out$/],
};

describe('the report of', () => {
  test.each(Object.entries(BOUNCES))('%s tells which recipient bounced, and why', async (server, shape) => {
    const [status, detail] = said[server]!;
    const { recipients } = await read(shape);
    expect(recipients).toEqual([
      { addresses: [to], kind: 'bounced', status, detail: expect.stringMatching(detail) },
    ]);
  });

  test('a server that is still trying is a delay', async () => {
    const { recipients } = await read(DELAYED);
    expect(recipients).toEqual([
      { addresses: [to], kind: 'delayed', status: '4.2.2', detail: '452 4.2.2 Mailbox full' },
    ]);
  });

  test('a server that comments its fields tells the same', async () => {
    const commented: ReportShape = (addressed) =>
      DELAYED(addressed).replace(/^(Action: delayed|Status: 4\.2\.2)/gm, '$1 (mailbox full)');
    expect((await read(commented)).recipients).toEqual((await read(DELAYED)).recipients);
    expect((await read(commented)).recipients).toHaveLength(1);
  });

  test.each([
    ['has no status', /^Status: .*\r\n/m, '', [to]],
    ['has a status of its own making', /^Status: .*/m, 'Status: failed', [to]],
    ['comments the recipient', /^(Final-Recipient: .*)/m, '$1 (Desk)', [to]],
    ['names the recipient', /^(Final-Recipient: rfc822;) *(.*)/m, '$1 "Desk" <$2>', [to]],
    ['has a recipient of another system', /^Final-Recipient: .*/m, 'Final-Recipient: X400; /CN=Desk', []],
  ])('a server that %s tells that it gave up', async (_, pattern, replacement, addresses) => {
    const odd: ReportShape = (addressed) => BOUNCES.Exim!(addressed).replace(pattern, replacement);
    const { recipients } = await read(odd);
    expect(recipients).toMatchObject([
      { addresses, kind: 'bounced', detail: expect.stringMatching(/^550 No such person/) },
    ]);
  });

  test('a delivery names no recipient that lacks the e-mail', async () => {
    expect((await read(DELIVERED)).recipients).toEqual([]);
  });

  test('qmail is no report per RFC 3464', async () => {
    expect(await read(QMAIL)).toEqual({ recipients: null, subject: 'failure notice' });
  });
});

test('whatever bytes come, reading them ends without an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), fc.boolean(), async (bytes, isReport) => {
      const head = isReport ? 'Content-Type: message/delivery-status\r\n\r\n' : '';
      const { recipients } = await readDeliveryReport(Buffer.concat([Buffer.from(head), bytes]));
      expect(recipients === null || Array.isArray(recipients)).toBe(true);
    }),
  );
});

describe('of a message', () => {
  const report = (shape: ReportShape) => shape({ to, returnPath });

  test('the beginning is read, however long the e-mail that it quotes', async () => {
    const raw = `${report(BOUNCES.Postfix!)}${`${'x'.repeat(76)}\r\n`.repeat(11_000)}`;
    expect((await readDeliveryReport(Buffer.from(raw))).recipients).toMatchObject([{ kind: 'bounced' }]);
  });

  test.each([
    ['empty lines', '\n', 2_000],
    ['parts', '--part\r\n\r\nx\r\n', 700],
    ['characters', 'x', 130_000],
  ])('no more is read than an honest report has, so that many %s hold nothing up', async (_, text, count) => {
    const [head, ...parts] = report(BOUNCES.Postfix!).split(/(?=^--)/m);
    const stuffed = [head, text.repeat(count), '\r\n', ...parts].join('');
    const { recipients, subject } = await readDeliveryReport(Buffer.from(stuffed));
    expect(recipients).toBeNull();
    expect(subject).toMatch(/^Undelivered/);
  });

  test('with too many bytes of header fields nothing is read', async () => {
    const raw = `To: ${'a:'.repeat(16_500)}\r\n${report(BOUNCES.Postfix!)}`;
    expect(await readDeliveryReport(Buffer.from(raw))).toEqual({ recipients: null, subject: '' });
  });
});

test('a long report with many groups is read in time that grows with its length alone', async () => {
  const group = `Final-Recipient: rfc822; ${to}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`;
  const raw = `Content-Type: message/delivery-status\r\n\r\n${group.repeat(10_000)}${'\t\r\n '.repeat(50_000)}`;
  const startedAt = performance.now();
  const { recipients } = await readDeliveryReport(Buffer.from(raw));
  expect(recipients?.length ?? 0).toBeLessThanOrEqual(101);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('a subject that would be cut within a character is recorded without that character', async () => {
  const raw = `Subject: ${'a'.repeat(499)}\u{1F600} away\r\n\r\nI am away.\r\n`;
  expect((await readDeliveryReport(Buffer.from(raw))).subject).toBe('a'.repeat(499));
});

describe('attributing a report', () => {
  const reported = { kind: 'bounced', status: '5.1.1', detail: 'Unknown' } as const;
  const both = { deliveredTo: ['Desk@Client.test', 'sales@client.test'], attempted: [] };

  test('finds a recipient whatever the case of its address', () => {
    const report = { recipients: [{ ...reported, addresses: ['desk@client.TEST'] }], subject: '' };
    expect(attribute(report, both)).toEqual([{ ...reported, address: 'Desk@Client.test' }]);
  });

  test.each([
    ['the original address as SMTP encodes it', 'desk+2Bforms@client.test', 'moved@elsewhere.test'],
    ['only the final address', 'unknown@elsewhere.test', 'desk+forms@client.test'],
  ])('finds a recipient by %s', async (_, original, final) => {
    const shape: ReportShape = (addressed) =>
      BOUNCES.Postfix!(addressed)
        .replace(/^Original-Recipient: .*/m, `Original-Recipient: rfc822;${original}\r`)
        .replace(/^Final-Recipient: .*/m, `Final-Recipient: rfc822; ${final}\r`);
    const email = { deliveredTo: ['desk+forms@client.test', 'sales@client.test'], attempted: [] };
    expect(attribute(await read(shape), email)).toMatchObject([
      { address: 'desk+forms@client.test', kind: 'bounced' },
    ]);
  });

  test('takes an address that no one has for the only recipient, which forwards to it', () => {
    const report = { recipients: [{ ...reported, addresses: ['forwarded@elsewhere.test'] }], subject: '' };
    expect(attribute(report, { deliveredTo: ['desk@client.test'], attempted: ['desk@client.test'] })).toEqual(
      [{ ...reported, address: 'desk@client.test' }],
    );
  });

  test('takes an address that cannot be read for the only recipient', () => {
    const report = { recipients: [{ ...reported, addresses: [] }], subject: '' };
    expect(attribute(report, { deliveredTo: ['desk@client.test'], attempted: [] })).toEqual([
      { ...reported, address: 'desk@client.test' },
    ]);
    expect(attribute(report, both).map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable']);
  });

  test('leaves a former address its own report, once the e-mail went to another', () => {
    const report = { recipients: [{ ...reported, addresses: ['dask@client.test'] }], subject: '' };
    const email = { deliveredTo: ['desk@client.test'], attempted: ['dask@client.test', 'desk@client.test'] };
    expect(attribute(report, email)).toEqual([{ ...reported, address: 'dask@client.test' }]);
  });

  test('names a recipient once, with the gravest of what is said, where two mailboxes are behind its address', () => {
    const report = {
      recipients: [
        { ...reported, addresses: ['one@elsewhere.test'], kind: 'delayed' as const },
        { ...reported, addresses: ['two@elsewhere.test'] },
        { ...reported, addresses: ['three@elsewhere.test'], kind: 'delayed' as const },
      ],
      subject: '',
    };
    expect(attribute(report, { deliveredTo: ['desk@client.test'], attempted: ['desk@client.test'] })).toEqual(
      [{ ...reported, address: 'desk@client.test' }],
    );
  });

  test('leaves open which of several recipients forwards to an address that no one has', () => {
    const report = { recipients: [{ ...reported, addresses: ['x@elsewhere.test'] }], subject: 'Failed' };
    expect(attribute(report, both).map(({ address, kind }) => [address, kind])).toEqual([
      ['Desk@Client.test', 'unreadable'],
      ['sales@client.test', 'unreadable'],
    ]);
  });

  test('notes a message that is no report for every recipient', () => {
    const noted = attribute({ recipients: null, subject: 'failure notice' }, both);
    expect(noted.map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable']);
    expect(noted[0]?.detail).toMatch(/failure notice$/);
  });
});
