import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { validateWebhook } from 'replicate';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team } from '../support/factories.js';
import { describeWith } from '../support/programs.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let receiver: Receiver;
let folder: string;
let teamId: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'formgate-webhooks-'));
  receiver = await startReceiver();
  app = await startTestApp({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterAll(async () => {
  await app.close();
  await receiver.close();
  await rm(folder, { recursive: true });
});

/** The example of the guide in a language. */
function example(language: string): string {
  const guide = readFileSync('docs/webhooks.md', 'utf8');
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)![1]!;
}

/** Creates an endpoint and sends it a test. @returns the secret, and what becomes of the delivery. */
async function tested(url: string) {
  const settings = { url, events: ['form.changed' as const], websiteIds: [], formIds: [] };
  const { webhooks, db } = app.services;
  const { id, secret } = await webhooks.create(
    teamId,
    { ...settings, description: '', enabled: true },
    TEST_ACTOR,
  );
  const send = async () => {
    const delivery = await webhooks.sendTest((await webhooks.find(id))!, TEST_ACTOR);
    return eventually(async () => {
      const attempt = await db.orm.webhookAttempt.findFirst({ where: { deliveryId: delivery.id } });
      return attempt?.status;
    });
  };
  const rotate = async () => webhooks.rotateSecret((await webhooks.find(id))!, TEST_ACTOR);
  return { secret, send, rotate };
}

/** Starts programs that receive, and waits until each refuses what is not signed. @returns what ends them. */
async function receiving(ports: readonly number[], start: (port: number) => ChildProcess) {
  const children = ports.map(start);
  for (const port of ports) {
    await eventually(() =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST' }).then(
        ({ status }) => status === 401,
        () => null,
      ),
    );
  }
  return async () => {
    for (const child of children) {
      child.kill();
      await once(child, 'exit');
    }
  };
}

test('the receiver of the guide for Node.js takes a real message, and refuses one under another secret', async () => {
  const file = join(folder, 'receiver.mjs');
  await writeFile(file, example('js'));
  const ports = [await freePort(), await freePort()] as const;
  const genuine = await tested(`http://127.0.0.1:${ports[0]}/`);
  const other = await tested(`http://127.0.0.1:${ports[1]}/`);
  const stop = await receiving(ports, (port) =>
    spawn(process.execPath, [file], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: genuine.secret },
    }),
  );
  try {
    // A client that hangs up within its body.
    const client = connect(ports[0], '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx', () => client.resetAndDestroy());
    await once(client, 'close');
    expect([await genuine.send(), await other.send()]).toEqual([204, 401]);
  } finally {
    await stop();
  }
});

test('another implementation of the specification takes a real message, after a rotation under both secrets', async () => {
  const { secret, send, rotate } = await tested(`${receiver.url}/other`);
  await send();
  const renewed = await rotate();
  await send();
  await eventually(() => receiver.at('/other').length === 2);
  const takenUnder = (under: string) =>
    Promise.all(
      receiver.at('/other').map(({ headers, body }) =>
        validateWebhook({
          id: headers['webhook-id'] as string,
          timestamp: headers['webhook-timestamp'] as string,
          signature: headers['webhook-signature'] as string,
          body,
          secret: under,
        }),
      ),
    );
  expect([await takenUnder(secret), await takenUnder(renewed)]).toEqual([
    [true, true],
    [false, true],
  ]);
});

describeWith('php')('the example of the guide for PHP', () => {
  test('takes a real message, and refuses one under another secret', async () => {
    const file = join(folder, 'receiver.php');
    await writeFile(file, example('php'));
    const ports = [await freePort(), await freePort()] as const;
    const genuine = await tested(`http://127.0.0.1:${ports[0]}/`);
    const other = await tested(`http://127.0.0.1:${ports[1]}/`);
    const stop = await receiving(ports, (port) =>
      spawn('php', ['-S', `127.0.0.1:${port}`, file], {
        env: { ...process.env, WEBHOOK_SECRET: genuine.secret },
      }),
    );
    try {
      expect([await genuine.send(), await other.send()]).toEqual([204, 401]);
    } finally {
      await stop();
    }
  });
});

describeWith('python3')('the example of the guide for Python', () => {
  test('takes a real message, and refuses one under another secret or without a header', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const genuine = await tested(`http://127.0.0.1:${ports[0]}/`);
    const other = await tested(`http://127.0.0.1:${ports[1]}/`);
    const stop = await receiving(ports, (port) =>
      spawn('python3', ['-c', example('python')], {
        env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: genuine.secret },
      }),
    );
    const statusWith = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${ports[0]}/`, { method: 'POST', headers, body: '{}' })).status;
    try {
      expect([await genuine.send(), await other.send()]).toEqual([204, 401]);
      const now = String(Math.floor(Date.now() / 1000));
      const faulty: Record<string, string>[] = [
        {},
        { 'webhook-id': '1' },
        { 'webhook-id': '1', 'webhook-timestamp': 'soon' },
        { 'webhook-id': '1', 'webhook-timestamp': '9'.repeat(5_000) },
        { 'webhook-id': '1', 'webhook-timestamp': now },
        { 'webhook-id': '1', 'webhook-timestamp': now, 'webhook-signature': 'v1,é' },
      ];
      expect(await Promise.all(faulty.map(statusWith))).toEqual(faulty.map(() => 401));
    } finally {
      await stop();
    }
  });
});
