import { afterAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { defineJob } from '../../src/queue/define-job.js';
import { createQueues } from '../../src/queue/queues.js';
import { startBrokenServer } from '../support/broken-server.js';
import { createTestDatabase } from '../support/database.js';
import { startProxy } from '../support/proxy.js';
import { eventually } from '../support/wait.js';

const JOB = defineJob('test', z.object({ n: z.number() }));

const cleanUps: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

function openQueues(databaseUrl: string) {
  const queues = createQueues({ redisUrl: null, databaseUrl, log: createLogger('silent') });
  cleanUps.push(() => queues.close());
  return queues;
}

test.concurrent('a queue whose first connections fail works once PostgreSQL answers', async () => {
  const database = await createTestDatabase();
  cleanUps.push(database.drop);
  const proxy = await startProxy(database.url);
  cleanUps.push(proxy.stop);
  const queues = openQueues(proxy.url);
  const enqueue = () => queues.enqueue(JOB, [{ id: 'one', payload: { n: 1 } }]);
  const worked: number[] = [];
  proxy.freeze();
  queues.work(JOB, async ({ n }) => void worked.push(n));
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
});

test.concurrent('a worker pauses before it retries a failing PostgreSQL', async () => {
  let connections = 0;
  const server = await startBrokenServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  cleanUps.push(server.stop);
  const queues = openQueues(`postgres://nobody@${server.address}/nothing?sslmode=disable`);
  const startedAt = performance.now();
  queues.work(JOB, async () => undefined);
  await eventually(() => connections >= 6);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});
