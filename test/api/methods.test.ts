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
