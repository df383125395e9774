import { expect, test } from '@jest/globals';
import express from 'express';
import { warnOfProxy } from '../../../src/http/limits/proxy-warning.js';
import { serveHttp } from '../../../src/http/server/serve.js';

test('the first forwarded request is warned about with the address of its proxy, and no other', async () => {
  const lines: object[] = [];
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  const app = express();
  app.use(warnOfProxy(log as never));
  app.get('/', (_request, response) => void response.send('ok'));
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' });
  await fetch(server.url);
  expect(lines).toEqual([]);
  for (let i = 0; i < 3; i++) await fetch(server.url, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(lines).toEqual([
    { address: '127.0.0.1', message: expect.stringContaining('TRUST_PROXY is not set') },
  ]);
  await server.close();
});
