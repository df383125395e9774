import { expect, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.js';
import { createDispatch } from '../../../src/mail/dispatch.js';
import { createMailer } from '../../../src/mail/mailer.js';
import { startSmtpSink } from '../../support/smtp.js';

const MESSAGE = {
  ...{ id: '0198c2a4-7c1a-7000-8000-000000000001', date: new Date(0), to: ['desk@acme.test'] },
  ...{ replyTo: null, subject: 'A new request', text: 'Ada', html: '<p>Ada</p>' },
};

test('a message that may no longer begin when the mail server is back makes no attempt', async () => {
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
