import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team } from '../support/factories.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { freePort } from '../support/redis.js';
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
  return { secret, send };
}

test('the receiver of the guide for Node.js takes a real message, and refuses one under another secret', async () => {
  const file = join(folder, 'receiver.mjs');
  await writeFile(file, example('js'));
  const ports = [await freePort(), await freePort()] as const;
  const genuine = await tested(`http://127.0.0.1:${ports[0]}/`);
  const other = await tested(`http://127.0.0.1:${ports[1]}/`);
  const children = ports.map((port) =>
    spawn(process.execPath, [file], {
      env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: genuine.secret },
    }),
  );
  try {
    for (const port of ports) {
      await eventually(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          ({ status }) => status === 401,
          () => null,
        ),
      );
    }
    expect([await genuine.send(), await other.send()]).toEqual([204, 401]);
  } finally {
    for (const child of children) {
      child.kill();
      await once(child, 'exit');
    }
  }
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

(hasPython ? test : test.skip)(
  'the example of the guide for Python tells a real message from an altered one',
  async () => {
    const { secret, send } = await tested(`${receiver.url}/python`);
    await send();
    const [{ headers, body }] = receiver.at('/python') as [(typeof receiver.received)[number]];
    const script = `${example('python')}
import json, sys
message = json.load(sys.stdin)
body = message["body"].encode()
print(is_genuine(message["headers"], body), is_genuine(message["headers"], body + b" "))`;
    const { stdout } = spawnSync('python3', ['-c', script], {
      ...{ input: JSON.stringify({ headers, body }), encoding: 'utf8' },
      env: { ...process.env, WEBHOOK_SECRET: secret },
    });
    expect(stdout.trim()).toBe('True False');
  },
);
