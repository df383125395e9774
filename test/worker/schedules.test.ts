import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { HOUR_MS } from '../../src/lib/durations.js';
import { createRedis } from '../../src/lib/redis.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { defineJob } from '../../src/queue/define-job.js';
import { createQueues } from '../../src/queue/queues.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { describeWithRedis, startRedisServer, type TestRedis } from '../support/redis.js';
import { eventually } from '../support/wait.js';

const EVERY_MS = 1_000;

const WORKERS = 3;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

function testSchedules(redisUrl: () => string | null): void {
  const open = () =>
    createQueues({ redisUrl: redisUrl(), databaseUrl: database.url, log: createLogger('silent') });

  test('a schedule that a clock hours ahead has left behind runs again once workers schedule it', async () => {
    const job = defineJob('ahead', z.object({}));
    let runs = 0;
    const workers = Array.from({ length: WORKERS }, open);
    const [first] = workers;
    const actual = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => actual() + 6 * HOUR_MS);
    for (const worker of workers) worker.workScheduled(new Map([[job.name, async () => void runs++]]));
    await first?.schedule(job, EVERY_MS);
    await eventually(() => runs > 0);
    clock.mockRestore();
    await Promise.all(workers.map((worker) => worker.schedule(job, EVERY_MS)));
    runs = 0;
    const startedAt = performance.now();
    // Each worker that finds the schedule left behind may begin it anew with a run at once; after that there is one.
    await eventually(() => runs >= WORKERS + 4);
    expect(performance.now() - startedAt).toBeGreaterThan(2.5 * EVERY_MS);
    for (const worker of workers) await worker.close();
  });

  test('a limit that a clock hours ahead has left behind ends at once', async () => {
    const job = defineJob('limited', z.object({}));
    const queues = open();
    let runs = 0;
    const actual = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => actual() + 6 * HOUR_MS);
    queues.work(job, async () => void runs++, { perSecond: 2 });
    const enqueue = (ids: string[]) =>
      queues.enqueue(
        job,
        ids.map((id) => ({ id, payload: {} })),
      );
    await enqueue(['a', 'b', 'c', 'd', 'e']);
    await eventually(() => runs >= 2);
    clock.mockRestore();
    await enqueue(['f', 'g']);
    await eventually(() => runs === 7);
    await queues.close();
  });
}

describe('on PostgreSQL', () => testSchedules(() => null));

describeWithRedis('on Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedisServer();
  });
  afterAll(() => redis?.stop());
  testSchedules(() => redis.url);

  test('a schedule whose next job Redis has evicted runs again', async () => {
    const job = defineJob('evicted', z.object({}));
    const log = createLogger('silent');
    const queues = createQueues({ redisUrl: redis.url, databaseUrl: database.url, log });
    const admin = createRedis(redis.url, log, 'blocking');
    let runs = 0;
    queues.workScheduled(new Map([[job.name, async () => void runs++]]));
    await queues.schedule(job, EVERY_MS);
    await eventually(() => runs > 0);
    await eventually(async () => {
      const keys = await admin.keys('bull:regular:repeat:evicted:*');
      return keys.length > 0 && admin.del(...keys);
    });
    await eventually(async () => {
      const delayed = await admin.zrange('bull:regular:delayed', '0', '-1');
      return delayed.every((id) => !id.startsWith('repeat:evicted:'));
    });
    const before = runs;
    const actual = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => actual() + 90_000);
    await queues.schedule(job, EVERY_MS);
    clock.mockRestore();
    await eventually(() => runs > before);
    admin.disconnect();
    await queues.close();
  });
});
