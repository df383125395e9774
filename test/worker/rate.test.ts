import { expect, test } from '@jest/globals';
import { startTestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { openTestRedis } from '../support/redis.js';
import { eventually } from '../support/wait.js';

const PER_SECOND = 4;
const COUNT = 14;

async function staysBelowTheRate(redisUrl?: string): Promise<void> {
  const app = await startTestApp({
    ...{ worker: true, redisUrl, env: { MAIL_PER_SECOND: `${PER_SECOND}`, WORKER_CONCURRENCY: '20' } },
  });
  await provision(app.services, [team('acme')]);
  const leads = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), COUNT);
  const startedAt = Date.now();
  for (const lead of leads) app.services.notifications.handOver(lead);
  await eventually(() => app.sink.messages.length === COUNT, { withinMs: 20_000 });
  expect(Date.now() - startedAt).toBeGreaterThan((COUNT / PER_SECOND - 1.5) * 1_000);
  await app.close();
}

// They mostly wait, and so run side by side.
const testWithRedis = process.env.TEST_HAS_REDIS ? test.concurrent : test.skip;

test.concurrent('MAIL_PER_SECOND holds on PostgreSQL', () => staysBelowTheRate(), 40_000);

testWithRedis(
  'MAIL_PER_SECOND holds on Redis',
  async () => {
    const redis = await openTestRedis();
    await staysBelowTheRate(redis.url);
    await redis.stop();
  },
  40_000,
);
