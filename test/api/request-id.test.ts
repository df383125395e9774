import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const idOf = async (headers: Record<string, string>) =>
  (await fetch(`${app.url}/healthz`, { headers })).headers.get('x-request-id');

test.each([
  'a1b2c3d4',
  '7f9c2a4e5b6d4c3e8f1a2b3c4d5e6f70',
  '0198c2a4-7c1a-7000-8000-000000000001',
  'edge_1.example:42',
  'x'.repeat(64),
])('a request keeps the id %s that it came with', async (id) => {
  expect(await idOf({ 'x-request-id': id })).toBe(id);
});

test.each(['', 'short', 'x'.repeat(65), 'with space here', '<script>alert', 'quote"quote"', 'ümlaut-ümlaut'])(
  'a request gets an id of its own instead of %j',
  async (id) => {
    expect(await idOf({ 'x-request-id': Buffer.from(id, 'utf8').toString('latin1') })).toMatch(UUID);
  },
);

test('a request without an id takes its trace from traceparent, and X-Request-Id comes first', async () => {
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  expect(await idOf({ traceparent })).toBe(trace);
  expect(await idOf({ traceparent, 'x-request-id': 'from-the-proxy' })).toBe('from-the-proxy');
  expect(await idOf({ traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` })).toMatch(UUID);
  expect(await idOf({ traceparent: 'nonsense' })).toMatch(UUID);
});
