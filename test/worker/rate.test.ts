import { expect, test } from '@jest/globals';
import { startWorker } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { openTestRedis } from '../support/redis.js';
import type { SinkMessage } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const PER_SECOND = 4;
const COUNT = 14;

type Options = Readonly<{
  redisUrl?: string | undefined;
  /** Submissions to record. */
  count?: number;
  /** State of the notifications until the test begins. */
  state?: 'pending' | 'failed';
}>;

/** Runs a worker with so many submissions recorded that it does not know of yet. */
async function withLeads<T>(
  env: Record<string, string>,
  work: (app: TestApp, leads: string[]) => Promise<T>,
  { redisUrl, count = COUNT, state = 'pending' }: Options = {},
): Promise<T> {
  const app = await startTestApp({ redisUrl, env });
  try {
    await provision(app.services, [team('acme')]);
    const site = await websiteId(app.services, 'www.acme.test');
    const leads = await recordedLeads(app.services, site, count);
    await app.services.db.orm.notification.updateMany({ data: { state } });
    // Only now, or it would enqueue what is pending.
    const worker = await startWorker(app.services);
    try {
      return await work(app, leads);
    } finally {
      await worker.close();
    }
  } finally {
    await app.close();
  }
}

/** The shortest time that the rate allows the leads, in milliseconds, with those that begin a second together. */
const MIN_MS = (COUNT / PER_SECOND - 1.5) * 1_000;

/** Sends the leads under the limit; returns how many milliseconds that takes. */
const timeLimited = (redisUrl?: string): Promise<number> =>
  withLeads(
    { MAIL_PER_SECOND: `${PER_SECOND}`, WORKER_CONCURRENCY: '20' },
    async (app, leads) => {
      const { db, notifications } = app.services;
      // Half of the e-mails are requested ones, which arrive in one job.
      const half = leads.splice(COUNT / 2);
      await db.orm.notification.deleteMany({ where: { submissionId: { in: half } } });
      await db.orm.requestedEmail.createMany({
        data: half.map((id) => ({
          id,
          submissionId: id,
          kind: 'forwarded',
          recipients: ['a@partner.test'],
        })),
      });
      const startedAt = Date.now();
      for (const lead of leads) notifications.handOver(lead);
      notifications.handOverRequested(half);
      await eventually(() => app.sink.messages.length === COUNT);
      return Date.now() - startedAt;
    },
    { redisUrl },
  );

// They mostly wait, and so run side by side.
const testWithRedis = process.env.TEST_HAS_REDIS ? test.concurrent : test.skip;

test.concurrent('MAIL_PER_SECOND holds on PostgreSQL', async () => {
  expect(await timeLimited()).toBeGreaterThan(MIN_MS);
});

testWithRedis('MAIL_PER_SECOND holds on Redis', async () => {
  const redis = await openTestRedis();
  try {
    expect(await timeLimited(redis.url)).toBeGreaterThan(MIN_MS);
  } finally {
    await redis.stop();
  }
});

/** E-mails that are sent again; at one per second they last longer than the slowest hand-over. */
const AGAIN = 60;

/** Sends many e-mails again, and a new lead's meanwhile. @returns how many of the others arrived before it. */
const countBeforeNewLead = (redisUrl?: string): Promise<number> =>
  withLeads(
    { MAIL_PER_SECOND: '1', WORKER_CONCURRENCY: '2' },
    async ({ services: { db, notifications }, sink }, leads) => {
      const lead = leads.pop()!;
      const isOfLead = ({ raw }: SinkMessage) => raw.includes(`<${lead}@`);
      await notifications.sendAgain(leads, TEST_ACTOR);
      await sink.waitFor((message) => !isOfLead(message));
      const data = { state: 'pending', nextAttemptAt: new Date() } as const;
      await db.orm.notification.update({ where: { submissionId: lead }, data });
      notifications.handOver(lead);
      await sink.waitFor(isOfLead);
      return sink.messages.findIndex(isOfLead);
    },
    { redisUrl, count: AGAIN + 1, state: 'failed' },
  );

test.concurrent('a new lead does not wait for e-mails that are sent again, on PostgreSQL', async () => {
  expect(await countBeforeNewLead()).toBeLessThan(AGAIN / 2);
});

testWithRedis('a new lead does not wait for e-mails that are sent again, on Redis', async () => {
  const redis = await openTestRedis();
  try {
    expect(await countBeforeNewLead(redis.url)).toBeLessThan(AGAIN / 2);
  } finally {
    await redis.stop();
  }
});

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
      { timeout: 120_000 },
    );
    await eventually(
      async () => (await db.orm.notification.count({ where: { ...all.where, state: 'sent' } })) === COUNT,
    );
    expect(sink.messages).toHaveLength(COUNT);
  }));
