import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { createServerCheck } from '../../src/mail/server-check.js';
import { startWorker } from '../../src/worker.js';
import { startTestApp } from '../support/app.js';
import { startBrokenServer } from '../support/broken-server.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const MESSAGE = {
  id: '0198c2a4-7c1a-7000-8000-000000000001',
  date: new Date(0),
  to: ['desk@acme.test'],
  replyTo: null,
  subject: 'A new request',
  text: 'Ada',
  html: '<p>Ada</p>',
};

const READY = { status: 200, mail: 'ok', up: 1, held: 0 };
const AWAY = { status: 503, mail: 'away', up: 0, held: 1 };

/** Starts a worker whose check of the mail server sees time pass as the test says. */
async function startAlone(options: { smtp?: SinkBehaviour; smtpUrl?: string }) {
  const workerPort = await freePort();
  const app = await startTestApp({
    smtp: options.smtp,
    env: { WORKER_PORT: `${workerPort}`, ...(options.smtpUrl && { SMTP_URL: options.smtpUrl }) },
  });
  const { dispatch, config } = app.services;
  let passedMs = 0;
  const now = () => performance.now() + passedMs;
  const worker = await startWorker({
    ...app.services,
    mailServer: createServerCheck({ dispatch, smtpUrl: config.smtpUrl, now }),
  });
  const url = `http://127.0.0.1:${workerPort}`;
  return {
    app,
    pass(seconds: number): void {
      passedMs += seconds * 1_000;
    },
    /** What the readiness check and the metrics say about the mail server. */
    async state() {
      const response = await fetch(`${url}/readyz`);
      const { mail } = (await response.json()) as { mail: string };
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const metric = (name: string) => Number(new RegExp(`^${name} (\\d)$`, 'm').exec(metrics)?.[1]);
      const up = metric('formgate_dependency_up{dependency="mail"}');
      return { status: response.status, mail, up, held: metric('formgate_mail_server_held') };
    },
    async close(): Promise<void> {
      await worker.close();
      await app.close();
    },
  };
}

test('a worker that has sent nothing yet is ready once it reaches the mail server', async () => {
  let isUp = false;
  let port = 0;
  const gate = await startBrokenServer((socket) => {
    if (!isUp) return void socket.destroy();
    socket.pipe(connect(port, '127.0.0.1').on('error', () => undefined)).pipe(socket);
  });
  const worker = await startAlone({ smtpUrl: `smtp://${gate.address}` });
  try {
    port = Number(new URL(worker.app.sink.url).port);
    expect(await worker.state()).toEqual(AWAY);
    isUp = true;
    // A check tells for a while, so that balancers do not make the server answer each time.
    expect(await worker.state()).toEqual(AWAY);
    worker.pass(20);
    expect(await worker.state()).toEqual(READY);
    isUp = false;
    worker.pass(20);
    expect(await worker.state()).toEqual(AWAY);
  } finally {
    await worker.close();
    await gate.stop();
  }
});

test('a worker is ready again without a message of its own once the mail server is back', async () => {
  const smtp: SinkBehaviour = { mail: '421 4.3.2 Away' };
  const worker = await startAlone({ smtp });
  const { dispatch } = worker.app.services;
  try {
    expect(await dispatch.send(MESSAGE)).toMatchObject({ outcome: 'deferred', about: 'server' });
    // This server takes logins while it refuses messages, so the attempt tells as long as there are some.
    worker.pass(30);
    expect(await worker.state()).toEqual(AWAY);
    delete smtp.mail;
    worker.pass(15);
    expect(await worker.state()).toEqual(READY);
    expect(await dispatch.send(MESSAGE, { wait: false })).toMatchObject({ outcome: 'sent' });
  } finally {
    await worker.close();
  }
});

test('a mail server that hangs does not hold up the readiness check', async () => {
  let connections = 0;
  const hanging = await startBrokenServer(() => {
    connections += 1;
  });
  const worker = await startAlone({ smtpUrl: `smtp://${hanging.address}` });
  try {
    const startedAt = performance.now();
    const [state] = await Promise.all([worker.state(), worker.state()]);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
    // Nothing has failed yet; the check goes on, and is the only one.
    expect(state).toMatchObject({ status: 503, mail: 'away', up: 0 });
    expect(connections).toBe(1);
  } finally {
    await hanging.stop();
    await eventually(async () => (await worker.state()).held === 1);
    await worker.close();
  }
});
