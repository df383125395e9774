import { expect, test } from '@jest/globals';
import express from 'express';
import { warnOfProxy } from '../../../src/http/limits/proxy-warning.js';
import { serveHttp } from '../../../src/http/server/serve.js';

/** Sends a request, and three that say they are forwarded. @returns the lines that are logged. */
async function logged(trustProxy: number | readonly string[] | false): Promise<object[]> {
  const lines: object[] = [];
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  const app = express();
  app.set('trust proxy', trustProxy);
  app.use(warnOfProxy(log as never));
  app.get('/', (_request, response) => void response.send('ok'));
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' });
  await fetch(server.url);
  expect(lines).toEqual([]);
  for (let i = 0; i < 3; i++) await fetch(server.url, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  await server.close();
  return lines;
}

test.each([
  ['is not set', false],
  ['names another network', ['172.16.0.0/12']],
  ['is no hop', 0],
] as const)(
  'the first forwarded request, and no other, is warned about where TRUST_PROXY %s',
  async (_, trusted) => {
    expect(await logged(trusted)).toEqual([
      { address: '127.0.0.1', message: expect.stringContaining('TRUST_PROXY does not name') },
    ]);
  },
);

test.each([[['loopback']], [1]] as const)(
  'a proxy that TRUST_PROXY names is not warned about: %j',
  async (trusted) => {
    expect(await logged(trusted)).toEqual([]);
  },
);
