import { expect, jest, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.js';
import { createDispatch } from '../../../src/mail/dispatch.js';
import { createMailer } from '../../../src/mail/mailer.js';
import { startSmtpSink } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';

const MESSAGE = {
  ...{ id: '0198c2a4-7c1a-7000-8000-000000000001', date: new Date(0), to: ['desk@acme.test'] },
  ...{ replyTo: null, subject: 'A new request', text: 'Ada', html: '<p>Ada</p>' },
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

test('the log distinguishes a server without TLS from one that is away', async () => {
  const log = createLogger('silent');
  const warn = jest.spyOn(log, 'warn') as jest.Spied<(line: object, message: string) => void>;
  const login = { user: 'gate', password: 'right' };
  const sinks = await Promise.all([
    startSmtpSink({ behaviour: { login } }),
    startSmtpSink({ behaviour: { mail: '421 4.3.2 Away' } }),
  ]);
  const from = { name: 'Formgate', address: 'forms@gate.test' };
  for (const { url } of sinks) {
    const mailer = createMailer({ smtpUrl: url, from });
    await createDispatch({ mailer, connections: 1, log }).send(MESSAGE);
    await mailer.close();
  }
  for (const { stop } of sinks) await stop();
  expect(warn.mock.calls).toEqual([
    [{ smtpCode: 500, fault: 'tls' }, 'Mail server fails at TLS'],
    [{ smtpCode: 421, fault: undefined }, 'Mail server is away'],
  ]);
});

test('messages with a slow confirmation release their permits, up to the size of the pool', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  const confirmed = new Promise<undefined>((resolve) => {
    confirm = resolve;
  });
  const sink = await startSmtpSink({ behaviour: { confirm: () => confirmed } });
  const mailer = createMailer({
    ...{ smtpUrl: sink.url, from: { name: 'Formgate', address: 'forms@gate.test' }, connections: 3 },
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
    expect(dispatch.backOffMs(['boss@a.test'])).toBeGreaterThan(0);
    expect(dispatch.backOffMs(['desk@other.test'])).toBe(0);
    confirm(undefined);
    for (const delivery of sending) expect(await delivery).toMatchObject({ outcome: 'sent' });
    expect(dispatch.backOffMs(['boss@a.test'])).toBe(0);
  } finally {
    await mailer.close();
    await sink.stop();
  }
});
