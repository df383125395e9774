import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { createLogger } from '../../src/lib/logger.js';
import { defineJob } from '../../src/queue/define-job.js';
import { createQueues } from '../../src/queue/queues.js';
import { startBrokenServer } from '../support/broken-server.js';
import { createTestDatabase } from '../support/database.js';
import { startProxy } from '../support/proxy.js';
import { eventually } from '../support/wait.js';

const JOB = defineJob('test', z.object({ n: z.number() }));

const openQueues = (databaseUrl: string) =>
  createQueues({ redisUrl: null, databaseUrl, log: createLogger('silent') });

test.concurrent('a queue whose first connections fail works once PostgreSQL answers', async () => {
  const database = await createTestDatabase();
  const proxy = await startProxy(database.url);
  const queues = openQueues(proxy.url);
  const enqueue = () => queues.enqueue(JOB, [{ id: 'one', payload: { n: 1 } }]);
  const worked: number[] = [];
  proxy.freeze();
  queues.work(JOB, async ({ n }) => void worked.push(n), { concurrency: 1 });
  await expect(enqueue()).rejects.toThrow('timeout');
  proxy.thaw();
  await eventually(() =>
    enqueue().then(
      () => true,
      () => false,
    ),
  );
  await eventually(() => worked.length > 0);
  expect(worked).toEqual([1]);
  await queues.close();
  await proxy.stop();
  await database.drop();
});

test.concurrent('a worker that PostgreSQL fails rests before it asks again', async () => {
  let connections = 0;
  const server = await startBrokenServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const queues = openQueues(`postgres://nobody@${server.address}/nothing?sslmode=disable`);
  const startedAt = performance.now();
  queues.work(JOB, async () => undefined, { concurrency: 1 });
  await eventually(() => connections >= 6);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
  await queues.close();
  await server.stop();
});
