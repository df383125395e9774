import { expect, test } from '@jest/globals';
import express from 'express';
import { serveHttp } from '../../src/http/server/serve.js';
import { watchAnswers } from '../support/contract.js';
import { takeFaults } from '../support/contract-faults.js';

const ID = '019aa8d2-7f30-7c55-9b1e-5a2f6c0d4e11';
const STANDING = { RateLimit: '"signature";r=0;t=9', 'RateLimit-Policy': '"signature";q=60;w=60' };
const ABOUT = { 'X-Request-Id': ID, Vary: 'Origin' };

/** Over a connection that is not kept, since the close of the server would wait for that. */
const ask = (address: string) => fetch(address, { headers: { connection: 'close' } });

type Sent = { status: number; headers: Record<string, string>; body: object };
const refused = (status: number, body: object, headers = {}): Sent => ({
  status,
  body,
  headers: { ...ABOUT, ...headers },
});

test.each<[string, Sent, RegExp | null]>([
  ['what is described', refused(404, { message: 'Website not found.' }), null],
  [
    'a 429 with its headers',
    refused(429, { message: 'Too many requests.' }, { ...STANDING, 'Retry-After': '9' }),
    null,
  ],
  [
    'a 429 without Retry-After',
    refused(429, { message: 'Too many requests.' }, STANDING),
    /lacks Retry-After/,
  ],
  [
    'a 429 whose RateLimit is another field',
    refused(429, { message: 'Too many requests.' }, { ...STANDING, 'Retry-After': '9', RateLimit: '60' }),
    /RateLimit: 60/,
  ],
  [
    'an answer without its id',
    { ...refused(404, { message: 'Website not found.' }), headers: { Vary: 'Origin' } },
    /lacks X-Request-Id/,
  ],
  ['a status that is not described', refused(418, { message: 'No.' }), /418 has a status/],
  ['another text', refused(404, { message: 'Site not found.' }), /must be equal to constant/],
  ['the other shape of errors', refused(403, { error: 'disabled' }), /must/],
  ['a key too many', refused(404, { message: 'Website not found.', stack: 'at' }), /additional properties/],
])('the check of all answers sees %s', async (_case, { status, headers, body }, fault) => {
  const app = express();
  app.get(
    '/api/websites/:website/signature',
    (_request, response) => void response.status(status).set(headers).json(body),
  );
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' });
  const unwatch = watchAnswers(server.url);
  await ask(`${server.url}/api/websites/${ID}/signature`);
  unwatch();
  await server.close();
  const faults = takeFaults();
  expect(faults).toEqual(fault === null ? [] : [expect.stringMatching(fault)]);
});

test('the check of all answers sees an address that is not described', async () => {
  const app = express().get('/api/secret', (_request, response) => void response.json({}));
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0, keepAliveS: 75, setting: 'PORT' });
  const unwatch = watchAnswers(server.url);
  await ask(`${server.url}/api/secret`);
  unwatch();
  await server.close();
  expect(takeFaults()).toEqual([expect.stringContaining('operation that is not described')]);
});
