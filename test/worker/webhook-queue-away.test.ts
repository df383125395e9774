import { randomUUID } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.js';
import { createCipher } from '../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createWebhooks } from '../../src/webhooks/webhooks.service.js';
import { createTestDatabase } from '../support/database.js';
import { TEST_ACTOR } from '../support/factories.js';

test('a delivery that cannot be handed over is one line of the log with its cause, however many there are', async () => {
  const database = await createTestDatabase();
  const { db } = database;
  const log = createLogger('silent');
  const warn = jest.spyOn(log, 'warn') as jest.Spied<(line: object, message: string) => void>;
  const away = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  const webhooks = createWebhooks({
    db,
    log,
    clock: systemClock,
    cipher: createCipher(createKeyring(Buffer.alloc(32, 7), null)),
    queues: { enqueue: () => Promise.reject(away) },
    bodyOf: async () => '',
  });
  const id = randomUUID();
  const team = await db.orm.team.create({
    data: { slug: id, name: id, plan: { create: { code: id, name: id } } },
  });
  await db.orm.webhook.create({
    data: { id, teamId: team.id, url: 'https://hooks.acme.test/', secretCipher: Buffer.alloc(1) },
  });
  const webhook = (await webhooks.find(id))!;
  for (let count = 0; count < 3; count += 1) await webhooks.sendTest(webhook, TEST_ACTOR);
  expect(warn.mock.calls).toEqual([
    [{ webhookId: id, cause: 'connection_refused', reason: expect.any(String) }, 'Webhook not handed over'],
  ]);
  await database.drop();
});
