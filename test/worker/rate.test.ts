import { expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { openTestRedis } from '../support/redis.js';
import { eventually } from '../support/wait.js';

const PER_SECOND = 4;
const COUNT = 14;

/** Runs a worker with so many submissions recorded that it does not know of yet. */
async function withLeads(
  env: Record<string, string>,
  work: (app: TestApp, leads: string[]) => Promise<void>,
  redisUrl?: string,
): Promise<void> {
  const app = await startTestApp({ worker: true, redisUrl, env });
  try {
    await provision(app.services, [team('acme')]);
    await work(app, await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), COUNT));
  } finally {
    await app.close();
  }
}

const staysBelowTheRate = (redisUrl?: string) =>
  withLeads(
    { MAIL_PER_SECOND: `${PER_SECOND}`, WORKER_CONCURRENCY: '20' },
    async (app, leads) => {
      const startedAt = Date.now();
      for (const lead of leads) app.services.notifications.handOver(lead);
      await eventually(() => app.sink.messages.length === COUNT, { withinMs: 20_000 });
      expect(Date.now() - startedAt).toBeGreaterThan((COUNT / PER_SECOND - 1.5) * 1_000);
    },
    redisUrl,
  );

// They mostly wait, and so run side by side.
const testWithRedis = process.env.TEST_HAS_REDIS ? test.concurrent : test.skip;

test.concurrent('MAIL_PER_SECOND holds on PostgreSQL', () => staysBelowTheRate(), 40_000);

testWithRedis(
  'MAIL_PER_SECOND holds on Redis',
  async () => {
    const redis = await openTestRedis();
    try {
      await staysBelowTheRate(redis.url);
    } finally {
      await redis.stop();
    }
  },
  40_000,
);

test.concurrent('while nothing can be recorded, a worker of four connections sends six e-mails', () =>
  withLeads({ WORKER_CONCURRENCY: '4' }, async ({ services: { db, notifications }, sink }, leads) => {
    const all = { where: { submissionId: { in: leads } } };
    await db.orm.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE notification_attempts IN SHARE MODE`;
        for (const lead of leads) notifications.handOver(lead);
        await eventually(async () => {
          const taken = await db.orm.notification.count({ where: { ...all.where, attempts: 1 } });
          return taken === COUNT && sink.messages.length >= 6;
        });
        expect(sink.messages).toHaveLength(6);
      },
      { timeout: 15_000 },
    );
    await eventually(
      async () => (await db.orm.notification.count({ where: { ...all.where, state: 'sent' } })) === COUNT,
    );
    expect(sink.messages).toHaveLength(COUNT);
  }));
