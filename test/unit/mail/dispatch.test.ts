import { describe, expect, jest, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import type { Delivery } from '../../../src/mail/delivery.js';
import { createDispatch } from '../../../src/mail/dispatch.js';
import { createMailer } from '../../../src/mail/mailer.js';
import { startBrokenServer } from '../../support/broken-server.js';
import { type SinkBehaviour, startSmtpSink } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';

const MESSAGE = {
  id: '0198c2a4-7c1a-7000-8000-000000000001',
  date: new Date(0),
  to: ['desk@acme.test'],
  replyTo: null,
  subject: 'A new request',
  text: 'Ada',
  html: '<p>Ada</p>',
};

test('a message that may no longer begin after the wait for the mail server makes no attempt', async () => {
  let isAway = true;
  const sink = await startSmtpSink({ behaviour: { mail: () => (isAway ? '421 4.3.2 Away' : null) } });
  const mailer = createMailer({ smtpUrl: sink.url, from: { name: 'Formgate', address: 'forms@gate.test' } });
  const dispatch = createDispatch({ mailer, connections: 10, log: createLogger('silent') });
  try {
    expect(await dispatch.send(MESSAGE)).toMatchObject({ outcome: 'deferred', about: 'server' });
    isAway = false;
    expect(await dispatch.send(MESSAGE, { mayBegin: () => false })).toBeNull();
    expect(sink.messages).toHaveLength(0);
    expect(await dispatch.send(MESSAGE, { mayBegin: () => true })).toMatchObject({ outcome: 'sent' });
    expect(sink.messages).toHaveLength(1);
  } finally {
    await mailer.close();
    await sink.stop();
  }
});

test.each([true, false])('after a stop no attempt begins, with wait: %s', async (wait) => {
  const sink = await startSmtpSink();
  const mailer = createMailer({ smtpUrl: sink.url, from: { name: 'Formgate', address: 'forms@gate.test' } });
  const dispatch = createDispatch({ mailer, connections: 10, log: createLogger('silent') });
  dispatch.stop();
  expect(await dispatch.send(MESSAGE, { wait })).toBeNull();
  expect(sink.messages).toHaveLength(0);
  await mailer.close();
  await sink.stop();
});

describe('the log of a mail server that is away', () => {
  /** Makes attempts at a mail server, and returns what the log says. */
  async function warningsAbout(smtpUrl: string, attempts = 1): Promise<[object, string][]> {
    const log = createLogger('silent');
    const warn = jest.spyOn(log, 'warn') as jest.Spied<(line: object, message: string) => void>;
    const timeouts = { connectMs: 500, answerMs: 500, slowMs: 500, confirmMs: 1_000 };
    const mailer = createMailer({
      smtpUrl,
      from: { name: 'Formgate', address: 'forms@gate.test' },
      timeouts,
    });
    const dispatch = createDispatch({ mailer, connections: attempts, log });
    await Promise.all(Array.from({ length: attempts }, () => dispatch.send(MESSAGE)));
    await mailer.close();
    return warn.mock.calls;
  }

  const login = { user: 'gate@agency.test', password: 'right' };

  test.each<[string, SinkBehaviour, object]>([
    [
      'does not offer TLS to a login',
      { login },
      { cause: 'tls_failed', reason: expect.stringContaining('STARTTLS') },
    ],
    [
      'has a certificate that has expired',
      { tls: true },
      { cause: 'tls_certificate_expired', reason: expect.stringContaining('certificate') },
    ],
    [
      'closes the connection and quotes the recipient',
      { rcpt: '421 4.3.2 <desk@acme.test>: Away' },
      { cause: 'smtp_421', reason: expect.stringMatching(/421 4\.3\.2 <<address>>: Away$/) },
    ],
  ])('names the cause when it %s', async (_name, behaviour, line) => {
    const sink = await startSmtpSink({ behaviour });
    expect(await warningsAbout(sink.url)).toEqual([[line, 'Mail server is away']]);
    await sink.stop();
  });

  test('names the cause when it does not greet', async () => {
    const silent = await startBrokenServer(() => undefined);
    expect(await warningsAbout(`smtp://${silent.address}`)).toEqual([
      [{ cause: 'timed_out', reason: expect.any(String) }, 'Mail server is away'],
    ]);
    await silent.stop();
  });

  test('names a refused login, and a server that does not listen, once for many messages', async () => {
    const sink = await startSmtpSink({ behaviour: { login } });
    const url = new URL(`${sink.url}?requireTLS=false`);
    url.password = 'wrong';
    expect(await warningsAbout(url.href, 3)).toEqual([
      [{ cause: 'login_refused', reason: expect.stringContaining('535') }, 'Mail server is away'],
    ]);
    await sink.stop();
    expect(await warningsAbout(sink.url, 3)).toEqual([
      [{ cause: 'connection_refused', reason: expect.any(String) }, 'Mail server is away'],
    ]);
  });
});

test('a message that does not wait for a server that is away takes no trial of its recipients', async () => {
  const away: Delivery = {
    outcome: 'deferred',
    about: 'server',
    error: null,
    smtpCode: null,
    detail: '',
    accepted: [],
    refused: [],
    answers: {},
  };
  const mailer = { send: async () => away, abort: () => undefined, maxConnections: 1 };
  const dispatch = createDispatch({ mailer, connections: 1, log: createLogger('silent') });
  expect(await dispatch.send(MESSAGE)).toMatchObject({ about: 'server' });
  const mayBegin = jest.fn(() => true);
  expect(await dispatch.send(MESSAGE, { wait: false, mayBegin })).toBeNull();
  expect(mayBegin).not.toHaveBeenCalled();
});

test('messages with a slow confirmation release their permits, up to the size of the pool', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  const confirmed = new Promise<undefined>((resolve) => {
    confirm = resolve;
  });
  const sink = await startSmtpSink({ behaviour: { confirm: () => confirmed } });
  const mailer = createMailer({
    smtpUrl: sink.url,
    from: { name: 'Formgate', address: 'forms@gate.test' },
    connections: 3,
    timeouts: { connectMs: 10_000, answerMs: 10_000, slowMs: 50, confirmMs: 60_000 },
  });
  const dispatch = createDispatch({ mailer, connections: 1, log: createLogger('silent') });
  try {
    const slow: string[] = [];
    const sending = ['a', 'b', 'c', 'd'].map((id) =>
      dispatch.send({ ...MESSAGE, id, to: [`desk@${id}.test`] }, { onSlow: () => void slow.push(id) }),
    );
    await eventually(() => slow.length === 3);
    expect(sink.messages).toHaveLength(3);
    expect(sink.connections()).toBe(3);
    expect(dispatch.tryAcquireDomains({ teamId: null, recipients: ['boss@a.test'] })).toBeGreaterThan(0);
    expect(dispatch.tryAcquireDomains({ teamId: null, recipients: ['desk@other.test'] })).toBe(0);
    confirm(undefined);
    for (const delivery of sending) expect(await delivery).toMatchObject({ outcome: 'sent' });
    expect(dispatch.tryAcquireDomains({ teamId: null, recipients: ['boss@a.test'] })).toBe(0);
  } finally {
    await mailer.close();
    await sink.stop();
  }
});

test('a conversation that breaks off holds back several domains for its team alone', async () => {
  const sink = await startSmtpSink({
    behaviour: { rcpt: (address) => (address.endsWith('@hangs.test') ? 'reset' : null) },
  });
  const mailer = createMailer({ smtpUrl: sink.url, from: { name: 'Formgate', address: 'forms@gate.test' } });
  const dispatch = createDispatch({ mailer, connections: 1, log: createLogger('silent') });
  const tryAcquire = (teamId: number, ...recipients: string[]) =>
    dispatch.tryAcquireDomains({ teamId, recipients });
  const both = { ...MESSAGE, to: ['desk@acme.test', 'desk@hangs.test'] };
  try {
    expect(await dispatch.send(both, { teamId: 1 })).toMatchObject({ about: 'domain' });
    expect(tryAcquire(1, 'boss@hangs.test', 'desk@other.test')).toBeGreaterThan(0);
    expect(tryAcquire(2, 'boss@acme.test')).toBe(0);
    expect(tryAcquire(2, 'boss@hangs.test')).toBe(0);

    const one = { ...MESSAGE, to: ['desk@hangs.test'] };
    expect(await dispatch.send(one, { teamId: 1 })).toMatchObject({ about: 'domain' });
    expect(tryAcquire(2, 'boss@hangs.test')).toBeGreaterThan(0);
    expect(tryAcquire(2, 'boss@acme.test')).toBe(0);
  } finally {
    await mailer.close();
    await sink.stop();
  }
});
