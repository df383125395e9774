import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readSettings } from '../../src/config.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { panelClient } from '../support/panel.js';

const INTROSPECTION = '{ __schema { queryType { name } } }';

/** What is nearly in the schema, and where it stands. */
const NEARLY: Readonly<Record<string, [query: string, variables?: object]>> = {
  'a field': ['{ me { emai } }'],
  'an argument': ['{ teams(firs: 1) { pageInfo { endCursor } } }'],
  'a type': ['query ($a: Strin) { me { email } }'],
  'a fragment’s type': ['{ me { ... on Viewe { email } } }'],
  'a word of an enum': ['{ submissions(filter: { states: [archive] }) { pageInfo { endCursor } } }'],
  'a field of an input': ['{ submissions(filter: { text_: "x", local: "fr" }) { pageInfo { endCursor } } }'],
  'a word of an enum in a variable': [
    'query ($states: [SubmissionState!]) { submissions(filter: { states: $states }) { pageInfo { endCursor } } }',
    { states: ['archive'] },
  ],
  'a field of an input in a variable': [
    'query ($filter: SubmissionFilter) { submissions(filter: $filter) { pageInfo { endCursor } } }',
    { filter: { local: 'fr' } },
  ],
};

let production: TestApp;
let open: TestApp;

beforeAll(async () => {
  [production, open] = await Promise.all([
    startTestApp({ env: { NODE_ENV: 'development' } }),
    startTestApp({ env: { NODE_ENV: 'production', GRAPHQL_LANDING_PAGE: 'on' } }),
  ]);
});
afterAll(() => Promise.all([production.close(), open.close()]));

/** The errors of a query that is refused, as they are sent. */
const errorsOf = async (app: TestApp, [query, variables]: [string, object?]): Promise<string> => {
  const { errors = [] } = await panelClient(app.url).send(query, variables);
  if (errors.length === 0) throw new Error(`${query} was answered.`);
  return JSON.stringify(errors);
};

/** As a browser asks for a page. */
const visit = (app: TestApp, path = '/graphql') =>
  fetch(`${app.url}${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });

describe('with a DATABASE_URL, whatever NODE_ENV is', () => {
  test('introspection is refused', async () => {
    expect(await panelClient(production.url).refused(INTROSPECTION)).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(await panelClient(production.url).refused('{ __type(name: "Team") { name } }')).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  test.each(Object.entries(NEARLY))('nothing is suggested for %s', async (_what, asked) => {
    expect(await errorsOf(production, asked)).not.toMatch(/did you mean|stacktrace|node_modules/i);
  });

  test.each([
    ['/graphql', 400],
    ['/graphql/schema.graphql', 404],
    ['/graphql/graphiql.js', 404],
  ])('there is no page at %s', async (path, status) => {
    const response = await visit(production, path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('with GRAPHQL_LANDING_PAGE=on', () => {
  test('introspection is answered', async () => {
    expect(await panelClient(open.url).ask(INTROSPECTION)).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
  });

  test.each(Object.entries(NEARLY))('something is suggested for %s', async (_what, asked) => {
    const errors = await errorsOf(open, asked);
    expect(errors).toMatch(/did you mean/i);
    expect(errors).not.toMatch(/stacktrace|node_modules/);
  });

  test('a browser gets the page and the schema', async () => {
    const page = await visit(open);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(await page.text()).not.toMatch(/https?:/);
    expect(await (await visit(open, '/graphql/schema.graphql')).text()).toContain('type Query {');
  });

  test('a client that accepts JSON is answered by the API', async () => {
    const response = await fetch(`${open.url}/graphql?query=${encodeURIComponent(INTROSPECTION)}`, {
      headers: { accept: 'application/json', 'apollo-require-preflight': '1' },
    });
    expect(await response.json()).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
  });
});

describe('the query page', () => {
  const external = {
    DATABASE_URL: 'postgres://127.0.0.1/x',
    SMTP_URL: 'smtp://127.0.0.1',
    MAIL_FROM: 'a@x.test',
    PUBLIC_URL: 'https://x.test',
    APP_KEY: Buffer.alloc(32).toString('base64'),
  };

  test.each([
    ['on', {}],
    ['off', { GRAPHQL_LANDING_PAGE: 'off' }],
    ['off', external],
    ['off', { ...external, NODE_ENV: 'development' }],
    ['on', { ...external, GRAPHQL_LANDING_PAGE: 'on', NODE_ENV: 'production' }],
  ])('is %s with %o', (expected, env) => {
    expect(readSettings(env).hasQueryPage).toBe(expected === 'on');
  });

  test('has no other value', () => {
    expect(() => readSettings({ GRAPHQL_LANDING_PAGE: 'yes' })).toThrow(
      /^Wrong configuration:\n {2}GRAPHQL_LANDING_PAGE /,
    );
  });
});
