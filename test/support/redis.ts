import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from '../../src/embedded/free-port.js';

/** A group of tests that need a real Redis; the start of the run says loudly when there is none. */
export const describeWithRedis = process.env.TEST_HAS_REDIS ? describe : describe.skip;

/** A group of tests that stop their Redis, which only one of their own may be. */
export const describeWithOwnRedis =
  process.env.TEST_HAS_REDIS && !process.env.REDIS_URL ? describe : describe.skip;

export type TestRedis = Readonly<{ url: string; stop(): Promise<void> }>;

/** Starts a redis-server of its own that keeps nothing on disk. */
export async function startRedisServer(port?: number): Promise<TestRedis> {
  const chosen = port ?? (await freePort());
  const args = [
    '--port',
    `${chosen}`,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--rdb-del-sync-files',
    'yes',
  ];
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(server, 'exit');
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('Ready to accept connections')) resolve();
    });
    exited.then(() => reject(new Error(`redis-server ended: ${printed}`)), reject);
  });
  return {
    url: `redis://127.0.0.1:${chosen}`,
    async stop() {
      server.kill('SIGTERM');
      await exited;
    },
  };
}

/** An empty Redis for one test file: a database of REDIS_URL where that is set, else a server of its own. */
export async function openTestRedis(): Promise<TestRedis> {
  const given = process.env.REDIS_URL;
  if (!given) return startRedisServer();
  const url = new URL(given);
  url.pathname = `/${process.env.JEST_WORKER_ID ?? 1}`;
  const redis = new Redis(url.href);
  await redis.flushdb();
  redis.disconnect();
  return { url: url.href, stop: async () => undefined };
}
