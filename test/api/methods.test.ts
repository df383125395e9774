import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const PATHS = [
  '/api/tokens',
  '/api/websites',
  '/api/websites/by-department/75',
  '/graphql',
  '/formgate.js',
  '/api/docs',
  '/healthz',
  '/nowhere',
];

test.each(PATHS)('%s answers a method that it does not have with 404 in JSON', async (path) => {
  for (const method of ['OPTIONS', 'PUT', 'PATCH', 'PROPFIND']) {
    const response = await fetch(app.url + path, { method });
    expect([method, response.status, await response.json()]).toEqual([
      method,
      404,
      { message: 'Not found.' },
    ]);
  }
});

test.each(['/healthz', '/readyz'])('%s has no entity tag that If-None-Match could name', async (path) => {
  const response = await fetch(app.url + path, { headers: { 'if-none-match': '*' } });
  expect([response.status, response.headers.get('etag')]).toEqual([200, null]);
});

/** The answer to lines of HTTP, sent as they stand. */
async function answerTo(...lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
}

test('a request without a Host header is refused in JSON, unless it is of HTTP/1.0', async () => {
  const refused = await answerTo('GET /healthz HTTP/1.1', 'Connection: close');
  expect(refused).toMatch(
    /^HTTP\/1\.1 400 .*x-request-id: .*\{"message":"The request has no Host header\."\}/is,
  );
  expect(await answerTo('GET /healthz HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a request with several Host headers is refused, which proxies may read differently', async () => {
  const line = ['GET /healthz HTTP/1.1', 'Connection: close', 'X-Of: host', 'Host: a.test'];
  expect(await answerTo(...line, 'hOST: b.test')).toMatch(
    /^HTTP\/1\.1 400 .*\{"message":"The request has several Host headers\."\}/is,
  );
  expect(await answerTo(...line)).toMatch(/^HTTP\/1\.1 200 /);
});

test('an unknown expectation is ignored', async () => {
  const lines = ['GET /healthz HTTP/1.1', 'Host: x', 'Connection: close', 'Expect: the-best'];
  expect(await answerTo(...lines)).toMatch(/^HTTP\/1\.1 200 /);
});
