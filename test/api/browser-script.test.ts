import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { browserScript } from '../../src/http/assets/browser-script.js';
import { errorHandler } from '../../src/http/error-handler.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { freshDataDir } from '../support/formgate.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

/** A plain request, whose answer stays compressed. */
async function get(path: string, headers: Record<string, string> = {}) {
  const asked = request(`${app.url}${path}`, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

test.each(['/formgate.js', '/formgate.mjs'])(
  '%s is served to every page, compressed or not',
  async (path) => {
    const plain = await get(path);
    const gzip = await get(path, { 'accept-encoding': 'br, gzip' });
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    expect(gzip.body.length).toBeLessThanOrEqual(15 * 1024);
    for (const { status, headers } of [plain, gzip]) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300, must-revalidate',
        'content-type': 'text/javascript; charset=utf-8',
        'x-content-type-options': 'nosniff',
        vary: 'Accept-Encoding',
      });
    }
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gzip.headers['content-encoding']).toBe('gzip');

    const again = await get(path, { 'if-none-match': String(plain.headers.etag), 'accept-encoding': 'gzip' });
    expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    const other = await get(path, { 'if-none-match': '"other"' });
    expect(other.status).toBe(200);
    expect(createHash('sha256').update(other.body).digest('hex')).toBe(
      createHash('sha256').update(plain.body).digest('hex'),
    );
  },
);

test('formgate.js is a classic script, formgate.mjs a module', async () => {
  expect(String((await get('/formgate.js')).body)).not.toMatch(/\bexport\s*\{|\bimport\b/);
  expect(String((await get('/formgate.mjs')).body)).toMatch(/export\s*\{[^}]*mount[^}]*submit[^}]*\}/);
});

test('a script that has not been built is a 404', async () => {
  const empty = express()
    .use(browserScript(pathToFileURL(`${await freshDataDir()}/`)))
    .use(errorHandler(createLogger('silent')));
  const server = createServer(empty).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/formgate.js`);
  expect({ status: answer.status, body: await answer.json() }).toEqual({
    status: 404,
    body: { message: 'Not found.' },
  });
  server.close();
});
