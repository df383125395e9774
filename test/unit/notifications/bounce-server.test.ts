import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { freePort } from '../../../src/embedded/free-port.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { type BounceServer, startBounceServer } from '../../../src/notifications/bounces/bounce-server.js';
import { BOUNCES } from '../../support/delivery-reports.js';
import { eventually } from '../../support/wait.js';

test('a port that another process holds is logged once, and once when it is free', async () => {
  const port = await freePort();
  const holder = createServer().listen(port, '127.0.0.1');
  await once(holder, 'listening');
  const lines: unknown[] = [];
  const log = createLogger('silent', { process: 'test' });
  log.info = (_fields: unknown, message?: unknown) => void lines.push(message);
  const server = await startBounceServer({
    host: '127.0.0.1',
    port,
    domain: 'bounces.agency.test',
    retryListenMs: 10,
    log,
    addresses: { read: () => null },
    bounces: { receive: async () => 'ignored' },
  });
  await pause(200);
  expect(lines).toEqual(['Another process holds BOUNCE_PORT']);
  holder.close();
  await eventually(() => server.port() === port);
  expect(lines).toEqual(['Another process holds BOUNCE_PORT', 'Worker takes delivery reports']);
  await server.close();
});

describe('a client that knows an envelope sender', () => {
  const SENDER = 'b+1@bounces.agency.test';
  const LINE = `${'x'.repeat(98)}\r\n`;

  let server: BounceServer;
  let port: number;
  let received: Buffer[];

  async function start(timeouts: { dataTimeoutMs?: number; connectionTimeoutMs?: number } = {}) {
    port = await freePort();
    received = [];
    server = await startBounceServer({
      host: '127.0.0.1',
      port,
      domain: 'bounces.agency.test',
      ...timeouts,
      log: createLogger('silent', { process: 'test' }),
      addresses: { read: (address) => address },
      bounces: {
        async receive(_id, raw) {
          received.push(raw);
          return 'bounced';
        },
      },
    });
  }

  afterEach(() => server.close());

  /** Connects, and gathers what the server says until it ends the connection. */
  function client() {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let said = '';
    socket.on('data', (text) => {
      said += text;
    });
    socket.on('error', () => undefined);
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const hears = (words: string) => eventually(() => said.includes(words));
    return { socket, hears, ended, said: () => said };
  }

  async function inMessage() {
    const one = client();
    await one.hears('220 ');
    one.socket.write(`EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${SENDER}>\r\nDATA\r\n`);
    await one.hears('354 ');
    return one;
  }

  const deliver = (raw: string) =>
    createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true }).sendMail({
      envelope: { from: '', to: SENDER },
      raw,
    });

  const report = BOUNCES.Postfix!({ to: 'desk@acme.test', returnPath: SENDER });

  test('and never ends its message is refused past a megabyte, and reports are taken afterwards', async () => {
    await start();
    const one = await inMessage();
    let sent = 0;
    const write = () => {
      if (sent >= 20_000_000 || one.socket.destroyed) return;
      sent += LINE.length * 1_000;
      one.socket.write(LINE.repeat(1_000), () => setImmediate(write));
    };
    write();
    await one.hears('552 5.3.4');
    one.socket.end();
    await one.ended;
    expect(received).toEqual([]);
    await deliver(report);
    expect(received.map(String)).toEqual([expect.stringContaining('message/delivery-status')]);
  });

  test('has only the beginning of its message kept', async () => {
    await start();
    await deliver(`${report}${LINE.repeat(8_000)}`);
    expect(received.map(({ length }) => length)).toEqual([128_000]);
    expect(String(received[0]).startsWith(report.slice(0, 1_000))).toBe(true);
  });

  test('and sends its message slowly is cut off, as is one that only stays', async () => {
    await start({ dataTimeoutMs: 500, connectionTimeoutMs: 3_000 });
    const one = await inMessage();
    one.socket.write(LINE);
    await one.hears('421 4.4.2 The message took too long');
    one.socket.end();
    await one.ended;
    const idle = client();
    await idle.hears('220 ');
    const timer = setInterval(() => idle.socket.write('NOOP\r\n'), 100);
    await idle.hears('421 4.4.2 The connection took too long');
    clearInterval(timer);
    idle.socket.end();
    await idle.ended;
  });

  test('gets ten connections of fifty, and one more when it has ended one', async () => {
    await start();
    const ten = Array.from({ length: 10 }, client);
    await Promise.all(ten.map(({ hears }) => hears('220 ')));
    const refused = client();
    await refused.hears('421 4.7.0');
    await refused.ended;
    ten[0]!.socket.end('QUIT\r\n');
    await ten[0]!.ended;
    await eventually(async () => {
      const next = client();
      await eventually(() => next.said() !== '');
      next.socket.destroy();
      return next.said().startsWith('220 ');
    });
    for (const { socket } of ten) socket.destroy();
  });
});
