import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '../../../src/embedded/free-port.js';

test('a free port is below those of outgoing connections, and another at each call', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
  expect(new Set(ports).size).toBe(50);
  expect(ports.filter((port) => port < 20_000 || port >= 30_000)).toEqual([]);
});

test('the preferred port is taken if it is free, else another', async () => {
  const preferred = await freePort();
  expect(await freePort(preferred)).toBe(preferred);
  const server = createServer().listen(preferred, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePort(preferred)).not.toBe(preferred);
  server.close();
  await once(server, 'close');
  // As a damaged lock file may name it.
  expect(await freePort(99_999)).toBeLessThan(30_000);
});
