import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditServer, serverAudits } from 'graphql-http';
import { startTestApp, type TestApp } from '../support/app.js';
import { createAccount, loggedIn, panelClient } from '../support/panel.js';

let app: TestApp;
beforeAll(async () => {
  // The audit asks by introspection.
  app = await startTestApp({ env: { GRAPHQL_LANDING_PAGE: 'on' } });
});
afterAll(() => app.close());

describe('GraphQL over HTTP', () => {
  test('passes the audit of graphql-http without an error', async () => {
    // The audit sends what browsers cannot send by themselves; so does this header say.
    const fetchFn = (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, 'apollo-require-preflight': '1' } });
    const results = await auditServer({ url: `${app.url}/graphql`, fetchFn });
    expect(results.length).toBe(serverAudits({ url: app.url }).length);
    expect(results.filter(({ status }) => status === 'error').map(({ name }) => name)).toEqual([]);
  });

  test.each([
    [
      'a form of another website',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'query={me{email}}',
    ],
    ['text that needs no preflight', { 'content-type': 'text/plain' }, '{"query":"{me{email}}"}'],
  ])('refuses %s', async (_name, headers, body) => {
    const response = await fetch(`${app.url}/graphql`, { method: 'POST', headers, body });
    expect(response.status).toBe(415);
  });

  test('refuses a GET that a page could make a browser send', async () => {
    const response = await fetch(`${app.url}/graphql?query=${encodeURIComponent('{me{email}}')}`);
    expect(response.status).toBe(400);
  });

  test('refuses several operations in one request', async () => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{me{email}}' }, { query: '{me{email}}' }]),
    });
    expect(response.status).toBe(422);
  });

  test('refuses more aliases, depth and tokens than the limits', async () => {
    const client = panelClient(app.url);
    const many = Array.from({ length: 31 }, (_, n) => `a${n}: me { email }`).join(' ');
    expect(await client.refused(`{ ${many} }`)).toBe('GRAPHQL_VALIDATION_FAILED');
    const words = `{ me { ${'email '.repeat(1_001)} } }`;
    expect(await client.refused(words)).toBe('GRAPHQL_PARSE_FAILED');
  });
});

test('with PostgreSQL away an operation of a logged-in viewer is answered 503 and SERVICE_UNAVAILABLE', async () => {
  const broken = await startTestApp();
  try {
    await createAccount(broken.services, { email: 'owner@acme.test' });
    const owner = await loggedIn(broken.url, broken.services, 'owner@acme.test');
    expect(await owner.ask('{ me { email } }')).toEqual({ me: { email: 'owner@acme.test' } });
    broken.services.sessions.viewerOf = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const response = await owner.fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ me { email } }' }),
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      errors: [{ message: 'Service temporarily unavailable.', extensions: { code: 'SERVICE_UNAVAILABLE' } }],
    });
  } finally {
    await broken.close();
  }
});

describe('invalid variables', () => {
  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';

  test.each([
    ['is missing', { email: 'a@b.test' }],
    ['is of another type', { email: ['s3cret-word'], password: 'x' }],
  ])('are reported without a stack when one %s', async (_what, variables) => {
    const { errors } = await panelClient(app.url).send(login, variables);
    expect(errors).toEqual([
      {
        message: expect.stringMatching(/^Variable "\$/),
        locations: expect.anything(),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});
