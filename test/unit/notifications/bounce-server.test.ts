import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { startBounceServer } from '../../../src/notifications/bounces/bounce-server.js';
import { freePort } from '../../support/redis.js';
import { eventually } from '../../support/wait.js';

test('a port that another process holds is logged once, and once when it is free', async () => {
  const port = await freePort();
  const holder = createServer().listen(port, '127.0.0.1');
  await once(holder, 'listening');
  const lines: unknown[] = [];
  const log = createLogger('silent', { process: 'test' });
  log.info = (_fields: unknown, message?: unknown) => void lines.push(message);
  const server = await startBounceServer({
    host: '127.0.0.1',
    port,
    domain: 'bounces.agency.test',
    retryListenMs: 10,
    log,
    addresses: { read: () => null },
    bounces: { receive: async () => 'ignored' },
  });
  await pause(200);
  expect(lines).toEqual(['Another process holds BOUNCE_PORT']);
  holder.close();
  await eventually(() => server.port() === port);
  expect(lines).toEqual(['Another process holds BOUNCE_PORT', 'Worker takes delivery reports']);
  await server.close();
});
