import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { freePort } from '../../../src/embedded/free-port.js';
import { createRedis } from '../../../src/lib/redis.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { defineJob } from '../../../src/queue/define-job.js';
import { createQueues } from '../../../src/queue/queues.js';
import { startProxy } from '../../support/proxy.js';
import { describeWithRedis, startRedisServer, type TestRedis } from '../../support/redis.js';
import { eventually } from '../../support/wait.js';

describeWithRedis('a connection to Redis', () => {
  let server: TestRedis;
  const opened: Redis[] = [];

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(async () => {
    for (const redis of opened) if (redis.status !== 'end') redis.disconnect();
    await server?.stop();
  });

  const silent = () => createLogger('silent', { process: 'test' });

  function open(url: string, log = silent(), use: 'commands' | 'blocking' = 'commands'): Redis {
    const redis = createRedis(url, log, use);
    opened.push(redis);
    return redis;
  }

  test.each(['commands', 'blocking'] as const)(
    'for %s is never ready on another database than that of its address, and nor is a duplicate',
    async (use) => {
      const first = open(`${server.url}/99`, silent(), use);
      const second = first.duplicate();
      opened.push(second);
      let ready = 0;
      for (const redis of [first, second]) redis.on('ready', () => ready++);
      for (const redis of [first, second]) redis.set('lost', '1').catch(() => undefined);
      await pause(1_500);
      expect(ready).toBe(0);
      for (const redis of [first, second]) redis.disconnect();
      expect(await open(server.url, silent(), 'blocking').exists('lost')).toBe(0);
    },
  );

  test('that lacks the database of REDIS_URL says so at the start', async () => {
    const queues = createQueues({ redisUrl: `${server.url}/99`, databaseUrl: '', log: silent() });
    await expect(queues.connect()).rejects.toThrow(/^REDIS_URL names a database that Redis does not have/);
    await expect(queues.requireWritable()).rejects.toThrow();
    await queues.close();
    const others = createQueues({ redisUrl: `${server.url}/3`, databaseUrl: '', log: silent() });
    await others.connect();
    await others.requireWritable();
    await others.close();
  });

  test('that stalls at the first use of a queue has the next use of it succeed', async () => {
    const queues = createQueues({ redisUrl: server.url, databaseUrl: '', log: silent() });
    await queues.connect();
    const job = defineJob('stalled', z.object({}));
    const enqueue = () => queues.enqueue(job, [{ id: 'one', payload: {} }]);
    await open(server.url, silent(), 'blocking').call('CLIENT', 'PAUSE', '1500', 'ALL');
    await expect(enqueue()).rejects.toThrow('Command timed out');
    await eventually(
      () =>
        enqueue().then(
          () => true,
          () => false,
        ),
      { withinMs: 10_000 },
    );
    expect(await queues.depth(job)).toMatchObject({ waiting: 1 });
    await queues.close();
  });

  test('that is gone without a word is given up for a new one, and jobs go on', async () => {
    const proxy = await startProxy(server.url);
    const queues = createQueues({ redisUrl: proxy.url, databaseUrl: '', log: silent() });
    await queues.connect();
    const job = defineJob('abandoned', z.object({}));
    const handled: string[] = [];
    queues.work(job, async (payload) => void handled.push(JSON.stringify(payload)));
    const enqueue = (id: string) => queues.enqueue(job, [{ id, payload: {} }]);
    await enqueue('before');
    await eventually(() => handled.length === 1);
    proxy.abandon();
    const again = () =>
      enqueue('after').then(
        () => true,
        () => false,
      );
    await eventually(again, { withinMs: 30_000 });
    await eventually(() => handled.length === 2, { withinMs: 60_000 });
    await queues.close();
    await proxy.stop();
  });

  test('of a user who lacks a right of BullMQ says so, and leaves the process to others', async () => {
    const admin = open(server.url);
    await once(admin, 'ready');
    await admin.call('ACL', 'SETUSER', 'narrow', 'on', '>secret', '~*', '&*', '+@all', '-@dangerous');
    const url = new URL(server.url);
    [url.username, url.password] = ['narrow', 'secret'];
    const queues = createQueues({ redisUrl: url.href, databaseUrl: '', log: silent() });
    await queues.connect();
    queues.work(defineJob('narrow', z.object({})), async () => undefined);
    await expect(queues.requireWritable()).rejects.toThrow('NOPERM');
    await queues.close();
  });

  test('that goes away and returns is logged once for all connections of a process', async () => {
    const port = await freePort();
    const lines: string[] = [];
    const log = silent();
    log.warn = (...[, message]: unknown[]) => void lines.push(String(message));
    log.info = (message: unknown) => void lines.push(String(message));
    const redis = await startRedisServer(port);
    const all = Array.from({ length: 8 }, () => open(redis.url, log, 'blocking'));
    await Promise.all(all.map((one) => once(one, 'ready')));
    await redis.stop();
    await Promise.all(all.map((one) => once(one, 'error').catch(() => undefined)));
    expect(lines).toEqual(['Redis is away']);
    const again = await startRedisServer(port);
    await eventually(() => all.every(({ status }) => status === 'ready'));
    expect(lines).toEqual(['Redis is away', 'Redis is back']);
    for (const one of all) one.disconnect();
    await again.stop();
  });

  test('that became a replica while its connections stayed open is left for the new primary', async () => {
    const [former, next] = await Promise.all([startRedisServer(), startRedisServer()]);
    const switched = await startProxy(former.url);
    const queues = createQueues({ redisUrl: switched.url, databaseUrl: '', log: silent() });
    const job = defineJob('failed-over', z.object({ n: z.number() }));
    const handled: number[] = [];
    queues.work(job, async ({ n }) => void handled.push(n));
    await queues.connect();
    await queues.enqueue(job, [{ id: 'before', payload: { n: 1 } }]);
    await eventually(() => handled.includes(1));
    switched.redirect(next.url);
    const admin = open(former.url, silent(), 'blocking');
    await admin.replicaof('127.0.0.1', new URL(next.url).port);
    const enqueue = () => queues.enqueue(job, [{ id: 'after', payload: { n: 2 } }]).catch(() => undefined);
    await eventually(() => enqueue().then(() => handled.includes(2)), { withinMs: 30_000 });
    await queues.requireWritable();
    await queues.close();
    admin.disconnect();
    await switched.stop();
    await Promise.all([former.stop(), next.stop()]);
  });
});
