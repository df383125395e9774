import type { Socket } from 'node:net';
import { afterAll, describe, expect, test as oneByOne } from '@jest/globals';
import type { Delivery } from '../../../src/mail/delivery.js';
import { createMailer, type Mailer } from '../../../src/mail/mailer.js';
import type { MailMessage } from '../../../src/mail/message.js';
import { startBrokenServer } from '../../support/broken-server.js';
import { type SinkBehaviour, startSmtpSink } from '../../support/smtp.js';

const MESSAGE: MailMessage = {
  id: '0198c2a4-7c1a-7000-8000-000000000001',
  date: new Date('2026-11-21T09:30:00Z'),
  to: ['desk@acme.test'],
  replyTo: 'ada@visitor.test',
  subject: 'Nouvelle demande : Contact — Acme Paris',
  text: 'Prénom : Ada \n.\nFrom here on, a line that is longer than SMTP would carry '.padEnd(2000, 'x'),
  html: '<p>Prénom : Ada</p>',
};

/** Each has servers of its own, for which it does little but wait. */
const test = oneByOne.concurrent;

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

/** For servers that stay away. */
const IMPATIENT = { connectMs: 300, answerMs: 1_000, slowMs: 300, confirmMs: 1_000 };
/** For servers that answer, on whatever machine. */
const PATIENT = { connectMs: 10_000, answerMs: 10_000, slowMs: 10_000, confirmMs: 20_000 };

function openMailer(smtpUrl: string, timeouts = PATIENT): Mailer {
  const mailer = createMailer({
    smtpUrl,
    from: { name: 'Formgate', address: 'forms@gate.test' },
    timeouts,
  });
  cleanUps.push(mailer.close);
  return mailer;
}

async function openSink(behaviour: SinkBehaviour = {}) {
  const sink = await startSmtpSink({ behaviour });
  cleanUps.push(sink.stop);
  return sink;
}

async function sendTo(
  behaviour: SinkBehaviour,
  message: Partial<MailMessage> = {},
  timeouts = PATIENT,
): Promise<Delivery> {
  const sink = await openSink(behaviour);
  return openMailer(sink.url, timeouts).send({ ...MESSAGE, ...message });
}

describe('a message that the server accepts', () => {
  test('is sent, with the answer of the server', async () => {
    expect(await sendTo({})).toEqual({
      outcome: 'sent',
      smtpCode: 250,
      detail: '250 2.0.0 Kept',
      accepted: MESSAGE.to,
      refused: [],
    });
  });

  test('arrives with text, headers and recipients', async () => {
    const sink = await openSink();
    await openMailer(sink.url).send({ ...MESSAGE, to: ['desk@acme.test', 'boss@acme.test'] });
    const { sender, recipients, mail } = sink.messages[0]!;
    expect(sender).toBe('forms@gate.test');
    expect(recipients).toEqual(['desk@acme.test', 'boss@acme.test']);
    expect(mail.from).toEqual({ name: 'Formgate', address: 'forms@gate.test' });
    expect(mail.to).toEqual(recipients.map((address) => ({ name: '', address })));
    expect(mail.replyTo).toEqual([{ name: '', address: 'ada@visitor.test' }]);
    expect(mail.subject).toBe(MESSAGE.subject);
    expect(mail.messageId).toBe(`<${MESSAGE.id}@gate.test>`);
    expect(new Date(mail.date!)).toEqual(MESSAGE.date);
    expect(mail.text?.trimEnd()).toBe(MESSAGE.text);
    expect(mail.html?.trimEnd()).toBe(MESSAGE.html);
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  test('arrives whole when it is long, with lines of a single dot', async () => {
    const sink = await openSink();
    const text = 'From here on\n.\n..\n.and on '.repeat(2_000);
    expect(await openMailer(sink.url).send({ ...MESSAGE, text })).toMatchObject({ outcome: 'sent' });
    expect(sink.messages[0]!.mail.text?.trimEnd()).toBe(text.trimEnd());
  });

  test('writes addresses as mail servers do', async () => {
    const sink = await openSink();
    await openMailer(sink.url).send({ ...MESSAGE, to: ['Desk@ACME.test'], replyTo: 'ada..l@Visitor.TEST' });
    const { recipients, raw } = sink.messages[0]!;
    expect(recipients).toEqual(['Desk@acme.test']);
    expect(raw.toString('latin1')).toContain('\r\nReply-To: <"ada..l"@visitor.test>\r\n');
  });

  test('has the same bytes when sent again, also by another process', async () => {
    const sink = await openSink();
    const first = openMailer(sink.url);
    await first.send(MESSAGE);
    await first.send(MESSAGE);
    await openMailer(sink.url).send({ ...MESSAGE });
    const [original, ...repeats] = sink.messages.map(({ raw }) => raw);
    expect(repeats).toHaveLength(2);
    for (const repeat of repeats) expect(repeat.equals(original!)).toBe(true);
  });

  test('has the same bytes for recipients of a later attempt', async () => {
    const sink = await openSink();
    const mailer = openMailer(sink.url);
    const message = { ...MESSAGE, to: ['desk@acme.test', 'boss@acme.test'] };
    await mailer.send(message);
    await mailer.send(message, ['boss@acme.test']);
    const [all, later] = sink.messages;
    expect(later!.recipients).toEqual(['boss@acme.test']);
    expect(later!.raw.equals(all!.raw)).toBe(true);
  });

  test('is sent over a kept-alive connection', async () => {
    const sink = await openSink();
    const mailer = openMailer(sink.url);
    for (let n = 0; n < 3; n++) await mailer.send(MESSAGE);
    expect(sink.connections()).toBe(1);
  });

  test.each([
    ['reset', 3],
    ['421 4.4.2 Idle for too long', 3],
  ])('is sent over a new connection when the kept-alive ones have ended: %s', async (reply, count) => {
    let stale = 0;
    const mail = () => (stale-- > 0 ? reply : null);
    const sink = await openSink({ mail });
    const mailer = openMailer(sink.url);
    await Promise.all(['a', 'b', 'c'].map((id) => mailer.send({ ...MESSAGE, id })));
    expect(sink.connections()).toBe(3);
    stale = count;
    expect(await mailer.send(MESSAGE)).toMatchObject({ outcome: 'sent' });
    expect(sink.messages).toHaveLength(4);
  });
});

describe('a server that closes with 421', () => {
  const CLOSING = '421 4.3.2 Closing for a while';
  const AWAY = { outcome: 'deferred', about: 'server', smtpCode: 421, detail: CLOSING };

  test('is recognised over kept-alive connections', async () => {
    const behaviour: SinkBehaviour = {};
    const sink = await openSink(behaviour);
    const mailer = openMailer(sink.url);
    await Promise.all(['a', 'b', 'c'].map((id) => mailer.send({ ...MESSAGE, id })));
    behaviour.mail = CLOSING;
    expect(await mailer.send(MESSAGE)).toMatchObject(AWAY);
  });

  test('gets one attempt over a new connection', async () => {
    let asked = 0;
    const mail = () => {
      asked += 1;
      return CLOSING;
    };
    expect(await sendTo({ mail }, {}, PATIENT)).toMatchObject(AWAY);
    expect(asked).toBe(1);
  });
});

describe('a server that closes with 421 at its limit of errors', () => {
  const TO_MANY = { to: Array.from({ length: 20 }, (_, n) => `gone${n}@acme.test`) };

  test('is not away for other messages when it may have been the recipients', async () => {
    const closing = await sendTo({ rcpt: '421 4.7.0 Too many errors' }, TO_MANY);
    expect(closing).toMatchObject({ outcome: 'deferred', about: 'message', smtpCode: 421 });
  });

  test('is away for all when it closes before it was told any', async () => {
    expect(await sendTo({ mail: '421 4.3.2 Closing' }, TO_MANY)).toMatchObject({ about: 'server' });
  });

  test('is away for all when it closes instead of a greeting', async () => {
    const sink = await startBrokenServer((socket) => socket.end('421 4.3.2 Closing\r\n'));
    cleanUps.push(sink.stop);
    const mailer = openMailer(`smtp://${sink.address}`);
    expect(await mailer.send({ ...MESSAGE, ...TO_MANY })).toMatchObject({ about: 'server', smtpCode: 421 });
  });
});

describe('a server that speaks TLS', () => {
  test('gets no message while its certificate is not trusted', async () => {
    const delivery = await sendTo({ tls: true });
    expect(delivery).toMatchObject({ outcome: 'deferred', about: 'server', smtpCode: null });
    expect(delivery.detail).toMatch(/certificate/);
  });

  test('gets it when the URL trusts the certificate', async () => {
    const sink = await openSink({ tls: true });
    await openMailer(`${sink.url}?tls.rejectUnauthorized=false`).send(MESSAGE);
    await sink.waitFor(({ mail }) => mail.subject === MESSAGE.subject);
  });
});

describe('a login', () => {
  const login = { user: 'gate', password: 'right' };

  test('is not sent in the clear, and the message waits until the server offers TLS', async () => {
    const sink = await openSink({ login });
    expect(await openMailer(sink.url, PATIENT).send(MESSAGE)).toMatchObject({
      outcome: 'deferred',
      about: 'server',
      detail: 'The mail server is away (tls_failed).',
    });
    expect(sink.logins).toEqual([]);
  });

  test('is not sent over STARTTLS to a server whose certificate is not trusted', async () => {
    const sink = await openSink({ login, startTls: true });
    expect(await openMailer(sink.url, PATIENT).send(MESSAGE)).toMatchObject({
      outcome: 'deferred',
      about: 'server',
      detail: expect.stringMatching(/^The mail server is away \(tls_certificate_\w+\)\.$/),
    });
    expect(sink.logins).toEqual([]);
  });

  test('is sent over STARTTLS', async () => {
    const sink = await openSink({ login, startTls: true });
    const mailer = openMailer(`${sink.url}?tls.rejectUnauthorized=false`, PATIENT);
    expect(await mailer.send(MESSAGE)).toMatchObject({ outcome: 'sent' });
    expect(sink.logins).toEqual([{ isEncrypted: true }]);
  });

  test('is sent in the clear where the URL allows it', async () => {
    const sink = await openSink({ login });
    const mailer = openMailer(`${sink.url}?requireTLS=false`, PATIENT);
    expect(await mailer.send(MESSAGE)).toMatchObject({ outcome: 'sent' });
    expect(sink.logins).toEqual([{ isEncrypted: false }]);
  });
});

describe('a refusal', () => {
  const stages = ['mail', 'rcpt', 'message'] as const;
  const table: [reply: string, outcome: Delivery['outcome']][] = [
    ['421 4.3.2 Closing', 'deferred'],
    ['450 4.2.1 Mailbox busy', 'deferred'],
    ['451 4.7.1 Greylisted', 'deferred'],
    ['452 4.3.1 Disk full', 'deferred'],
    ['550 5.1.1 No such user', 'failed'],
    ['552 5.3.4 Too big', 'failed'],
    ['554 5.6.0 Unwanted', 'failed'],
    ['530 5.7.0 Authentication required', 'deferred'],
  ];
  for (const stage of stages) {
    test.each(table)(`at ${stage} with %s is %s`, async (reply, outcome) => {
      const delivery = await sendTo({ [stage]: reply });
      expect(delivery).toMatchObject({ outcome, smtpCode: Number(reply.slice(0, 3)), detail: reply });
    });
  }

  test('of our sender address is deferred, since the operator can correct it', async () => {
    const reply = '553 5.7.1 Sender address not owned by user';
    expect(await sendTo({ mail: reply })).toMatchObject({ outcome: 'deferred', smtpCode: 553 });
    expect(await sendTo({ rcpt: reply })).toMatchObject({ outcome: 'failed', smtpCode: 553 });
  });

  test('of our login is deferred', async () => {
    const sink = await openSink({ login: { user: 'gate', password: 'right' } });
    const url = `${sink.url}?requireTLS=false`;
    const delivery = await openMailer(url.replace('right', 'wrong')).send(MESSAGE);
    expect(delivery).toMatchObject({
      outcome: 'deferred',
      smtpCode: 535,
      detail: '535 5.7.8 Wrong user or password',
    });
    expect(await openMailer(url).send(MESSAGE)).toMatchObject({ outcome: 'sent' });
  });

  test('of a missing login is deferred', async () => {
    const sink = await openSink({ login: { user: 'gate', password: 'right' } });
    const delivery = await openMailer(sink.url.replace('gate:right@', '')).send(MESSAGE);
    expect(delivery).toMatchObject({ outcome: 'deferred', smtpCode: 530 });
  });

  test('of some recipients is `sent`, with their number in the detail', async () => {
    const rcpt = (address: string) => (address.startsWith('gone') ? '550 5.1.1 No such user' : null);
    const delivery = await sendTo({ rcpt }, { to: ['desk@acme.test', 'gone@acme.test', 'not an address'] });
    expect(delivery).toMatchObject({
      outcome: 'sent',
      smtpCode: 250,
      detail: '2 of 3 recipients refused. 550 5.1.1 No such user 250 2.0.0 Kept',
      accepted: ['desk@acme.test'],
      refused: ['gone@acme.test', 'not an address'],
    });
  });

  test('with a 4xx of some recipients defers the message for them, and lists the others', async () => {
    const rcpt = (address: string) =>
      new Map([
        ['Gone@acme.test', '550 Gone'],
        ['Busy@acme.test', '450 Busy'],
      ]).get(address) ?? null;
    const to = ['Gone@ACME.test', 'desk@acme.test', 'Busy@ACME.test'];
    expect(await sendTo({ rcpt }, { to })).toEqual({
      outcome: 'deferred',
      about: 'message',
      smtpCode: 450,
      error: null,
      detail: '1 of 3 recipients refused. 1 of 3 recipients deferred. 550 Gone 450 Busy 250 2.0.0 Kept',
      accepted: ['desk@acme.test'],
      refused: ['Gone@ACME.test'],
      answers: {
        'Gone@ACME.test': '550 Gone',
        'desk@acme.test': '250 2.0.0 Kept',
        'Busy@ACME.test': '450 Busy',
      },
    });
  });

  test.each([
    ['busy@acme.test', 'gone@acme.test'],
    ['gone@acme.test', 'busy@acme.test'],
  ])('of all recipients (%s, %s) is deferred when one of them is', async (...to) => {
    const rcpt = (address: string) => (address.startsWith('gone') ? '550 Gone' : '450 Busy');
    expect(await sendTo({ rcpt }, { to })).toMatchObject({
      outcome: 'deferred',
      smtpCode: 450,
      detail: '450 Busy',
      accepted: [],
      refused: ['gone@acme.test'],
      answers: { 'gone@acme.test': '550 Gone', 'busy@acme.test': '450 Busy' },
    });
  });

  test('does not affect the next message on the same connection', async () => {
    const rcpt = (address: string) => (address.startsWith('gone') ? '550 Gone' : null);
    const sink = await openSink({ rcpt });
    const mailer = openMailer(sink.url);
    expect(await mailer.send({ ...MESSAGE, to: ['gone@acme.test'] })).toMatchObject({ outcome: 'failed' });
    expect(await mailer.send(MESSAGE)).toMatchObject({ outcome: 'sent' });
  });

  test('is quoted without control characters and up to 500 characters', async () => {
    const { detail } = await sendTo({ rcpt: `550 \u001b[31mRed\u0007 ${'word '.repeat(200)}` });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(detail).not.toMatch(/[\u0000-\u001f\u007f]/);
    expect(detail.length).toBeGreaterThan(490);
    expect(detail.length).toBeLessThanOrEqual(500);
  });

  test('for lack of a valid recipient is final, without a connection', async () => {
    const mailer = openMailer('smtp://127.0.0.1:1');
    for (const to of [[], ['nobody'], ['a@b.test\r\nRCPT TO:<c@d.test>']]) {
      expect(await mailer.send({ ...MESSAGE, to })).toMatchObject({ outcome: 'failed', smtpCode: null });
    }
  });
});

describe('a faulty server', () => {
  const NO_CODE = { outcome: 'deferred', smtpCode: null };
  const AWAY = { outcome: 'deferred', about: 'server' };

  test('that refuses the connection defers the message', async () => {
    const server = await startBrokenServer(() => undefined);
    await server.stop();
    expect(await openMailer(`smtp://${server.address}`, IMPATIENT).send(MESSAGE)).toMatchObject({
      ...NO_CODE,
      ...AWAY,
      // Not its address, which clients need not know.
      detail: 'The mail server is away (connection_refused).',
    });
  });

  test('that does not exist defers the message', async () => {
    expect(await openMailer('smtp://nowhere.invalid', IMPATIENT).send(MESSAGE)).toMatchObject({
      ...NO_CODE,
      ...AWAY,
    });
  });

  test.each([
    ['is mute', () => undefined],
    ['is an HTTP server', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['greets with noise', (socket) => socket.end(Buffer.from([0, 1, 2, 255, 13, 10]))],
    ['hangs up at once', (socket) => socket.destroy()],
    ['trickles', (socket) => setInterval(() => socket.write('220-wait\r\n'), 100).unref()],
  ] satisfies [string, Parameters<typeof startBrokenServer>[0]][])(
    'that %s defers the message within its timeouts',
    async (_name, treat) => {
      const server = await startBrokenServer(treat);
      cleanUps.push(server.stop);
      const startedAt = Date.now();
      expect(await openMailer(`smtp://${server.address}`, IMPATIENT).send(MESSAGE)).toMatchObject(AWAY);
      expect(Date.now() - startedAt).toBeLessThan(2_500);
    },
  );

  test.each(['421 Too many connections', '554 5.7.1 Not from your address'])(
    'that greets with %s defers the message',
    async (line) => {
      const server = await startBrokenServer((socket) => socket.end(`${line}\r\n`));
      cleanUps.push(server.stop);
      const delivery = await openMailer(`smtp://${server.address}`, IMPATIENT).send(MESSAGE);
      expect(delivery).toMatchObject({
        ...AWAY,
        smtpCode: Number(line.slice(0, 3)),
        detail: line,
      });
    },
  );

  for (const stage of ['mail', 'rcpt'] as const) {
    test.each(['hang', 'reset'])(`at ${stage} with a %s defers the message for its domain`, async (reply) => {
      const delivery = await sendTo({ [stage]: reply }, {}, { ...PATIENT, answerMs: 2_000 });
      expect(delivery).toMatchObject({ ...NO_CODE, about: 'domain' });
    });
  }

  test('that keeps sending lets the login as a whole time out', async () => {
    const server = await startBrokenServer((socket) => {
      socket.write('220 hello\r\n');
      socket.once('data', () => setInterval(() => socket.write('250-more\r\n'), 100).unref());
    });
    cleanUps.push(server.stop);
    const delivery = await openMailer(`smtp://${server.address}`, IMPATIENT).send(MESSAGE);
    expect(delivery).toMatchObject({ ...NO_CODE, ...AWAY, detail: 'The mail server is away (timed_out).' });
  });
});

describe('the answer to the final dot', () => {
  const UNKNOWN = { outcome: 'unknown', smtpCode: null, accepted: [], refused: [] };
  const NEVER = /^The mail server never confirmed the message, which may have arrived\. /;

  /** A server that speaks SMTP up to the point where the text is sent to it. */
  async function serverThatTakesText(treat: (socket: Socket, received: string) => void) {
    const server = await startBrokenServer((socket) => {
      let received = '';
      socket.write('220 hello\r\n');
      socket.on('data', (chunk) => {
        if (/^DATA\r\n/m.test(received)) {
          received += chunk;
          treat(socket, received);
          return;
        }
        received += chunk;
        socket.write(/^DATA\r\n/m.test(received) ? '354 Go on\r\n' : '250 OK\r\n');
      });
    });
    cleanUps.push(server.stop);
    return `smtp://${server.address}`;
  }

  test.each(['hang', 'reset'])('that is missing makes the outcome unknown: %s', async (message) => {
    const delivery = await sendTo({ message }, {}, { ...IMPATIENT, connectMs: 10_000, answerMs: 10_000 });
    expect(delivery).toMatchObject(UNKNOWN);
    expect(delivery.detail).toMatch(NEVER);
  });

  test('that is malformed makes the outcome unknown', async () => {
    const url = await serverThatTakesText((socket, received) => {
      if (received.endsWith('\r\n.\r\n')) socket.write('%%%% nonsense\r\n');
    });
    expect(await openMailer(url).send(MESSAGE)).toMatchObject(UNKNOWN);
  });

  test('has a longer timeout, and is reported as slow', async () => {
    let toldSlow: (value: undefined) => void = () => undefined;
    const slow = new Promise<undefined>((resolve) => {
      toldSlow = resolve;
    });
    const sink = await openSink({ confirm: () => slow });
    const patience = { connectMs: 10_000, answerMs: 3_000, slowMs: 3_500, confirmMs: 20_000 };
    const delivery = openMailer(sink.url, patience).send(MESSAGE, MESSAGE.to, () => toldSlow(undefined));
    expect(await delivery).toMatchObject({ outcome: 'sent' });
    expect(sink.messages).toHaveLength(1);
  });

  test('that a stop cuts off makes the outcome unknown', async () => {
    const sink = await openSink({ confirm: () => new Promise(() => undefined) });
    const mailer = openMailer(sink.url);
    const sending = mailer.send(MESSAGE);
    await sink.waitFor(() => true);
    mailer.abort();
    expect(await sending).toMatchObject(UNKNOWN);
  });

  test('is not due when the conversation breaks off in the middle of a text', async () => {
    const url = await serverThatTakesText((socket) => socket.resetAndDestroy());
    const text = 'A text that no socket takes at once. '.repeat(400_000);
    expect(await openMailer(url).send({ ...MESSAGE, text })).toMatchObject({
      outcome: 'deferred',
      about: 'domain',
      smtpCode: null,
    });
  });
});

describe('hostile values', () => {
  test.each([
    'ada@visitor.test, eve@evil.test',
    'ada@visitor.test\r\nBcc: eve@evil.test',
    '"Ada" <ada@visitor.test>',
    'group: ada@visitor.test;',
    'ada@visitor.test>, <eve@evil.test',
    `${'a'.repeat(250)}@visitor.test`,
    '',
  ])('as Reply-To leave no Reply-To: %j', async (replyTo) => {
    const sink = await openSink();
    await openMailer(sink.url).send({ ...MESSAGE, replyTo });
    const { mail, recipients } = sink.messages[0]!;
    expect(mail.replyTo).toBeUndefined();
    expect(mail.bcc).toBeUndefined();
    expect(recipients).toEqual(MESSAGE.to);
  });

  test('as Reply-To with line ends around one address give that address', async () => {
    const sink = await openSink();
    await openMailer(sink.url).send({ ...MESSAGE, replyTo: '\r\nada@visitor.test\r\n' });
    expect(sink.messages[0]!.mail.replyTo).toEqual([{ name: '', address: 'ada@visitor.test' }]);
  });

  test('as subject stay in the subject', async () => {
    const sink = await openSink();
    await openMailer(sink.url).send({ ...MESSAGE, subject: 'Hello\r\nBcc: eve@evil.test\r\n\r\nBody' });
    const { mail } = sink.messages[0]!;
    expect(mail.subject).toBe('Hello Bcc: eve@evil.test Body');
    expect(mail.bcc).toBeUndefined();
  });

  test('as message id throw', async () => {
    const mailer = openMailer('smtp://127.0.0.1:1');
    await expect(mailer.send({ ...MESSAGE, id: 'a>\r\nBcc: b' })).rejects.toThrow(RangeError);
  });
});

test('closing waits for the messages in flight', async () => {
  const sink = await openSink();
  const mailer = openMailer(sink.url);
  const deliveries = Array.from({ length: 20 }, (_, n) => mailer.send({ ...MESSAGE, id: `notice-${n}` }));
  await mailer.close();
  expect(sink.messages).toHaveLength(20);
  for (const delivery of deliveries) expect(await delivery).toMatchObject({ outcome: 'sent' });
  expect(await mailer.send(MESSAGE)).toMatchObject({ outcome: 'deferred', smtpCode: null });
});
