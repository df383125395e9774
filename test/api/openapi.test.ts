import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApp } from '../../src/app.js';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import type { Method, Operation, Parameter } from '../../src/http/openapi.js';
import { createOpenApi, type OpenApi } from '../../src/openapi.js';
import { createPanel } from '../../src/panel.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { DEMO, provisionDemo } from '../support/demo.js';
import { createToken } from '../support/factories.js';
import { solve } from '../support/solve.js';
import { createVisitor } from '../support/visitor.js';

const METRICS_TOKEN = 'a-metrics-token-of-its-own';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ env: { METRICS_TOKEN, ALTCHA_MAX_NUMBER: '1000' } });
  await provisionDemo(app.services);
});

afterAll(() => app?.close());

describe('GET /api/openapi.json', () => {
  test('serves the document with the public URL, to pages of any origin', async () => {
    const response = await fetch(`${app.url}/api/openapi.json`, {
      headers: { Origin: 'https://tools.test' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: app.services.config.publicUrl }],
    });
  });

  test('is a 304 by If-None-Match', async () => {
    const first = await fetch(`${app.url}/api/openapi.json`);
    const etag = first.headers.get('etag')!;
    const again = await fetch(`${app.url}/api/openapi.json`, { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await fetch(`${app.url}/api/openapi.json`, { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  });
});

type Layer = Readonly<{
  route?: { path: string | string[]; methods: Record<string, boolean> };
  handle: { stack?: readonly Layer[] };
}>;

/** Every route of a router and of those within it, as the document names it. */
const routesOf = (stack: readonly Layer[]): string[] =>
  stack.flatMap(({ route, handle }) =>
    route
      ? [route.path]
          .flat()
          .flatMap((path) =>
            Object.keys(route.methods).map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
          )
      : routesOf(handle.stack ?? []),
  );

test('the document has every route of the gateway, and no other', async () => {
  const panel = await createPanel(app.services);
  const { paths } = createOpenApi(app.services.config);
  const described = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  const served = routesOf(createApp(app.services, panel).router.stack as unknown as Layer[]);
  await panel.close();
  // What the panel has for itself is described in schema.graphql and docs/panel.md.
  const forIntegrators = served.filter((route) => !/ \/(panel\b|graphql|$)/.test(route));
  expect(forIntegrators.sort()).toEqual(described.sort());
});

describe('GET /api/docs', () => {
  test('names no other host, and its policy allows none', async () => {
    const response = await fetch(`${app.url}/api/docs`);
    const html = await response.text();
    expect(html).toContain('spec-url="openapi.json"');
    // Otherwise the viewer asks Google for fonts.
    expect(html).toContain('load-fonts="false"');
    expect(html).not.toMatch(/https?:|"\/\//);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|font-src/);
  });

  test('with a slash behind it leads to the page, also where the gateway is published under a path', async () => {
    const response = await fetch(`${app.url}/api/docs/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '../docs']);
    expect((await fetch(`${app.url}/api/docs/`)).url).toBe(`${app.url}/api/docs`);
  });

  test('its script is served with its licences, for a year', async () => {
    const html = await (await fetch(`${app.url}/api/docs`)).text();
    const [, address] = /<script src="([^"]+)"/.exec(html)!;
    const response = await fetch(new URL(address!, `${app.url}/api/docs`));
    expect(response.headers.get('cache-control')).toContain('immutable');
    const script = await response.text();
    expect(script).toMatch(/^\/\*! rapidoc \d+\.\d+\.\d+\n\nMIT License\n/);
    expect(script).toContain('Copyright 2017 Google LLC');
    expect(script).not.toContain('sourceMappingURL');
  });
});

type Example = Readonly<{ path: string; method: Method; operation: Operation; body?: unknown }>;

/** Every operation with every example of its body; what takes a body has at least one. */
function examplesOf(paths: OpenApi['paths']): [string, Example][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): [string, Example][] => {
      const at = { path, method: method as Method, operation };
      if (!operation.requestBody) return [[`${method} ${path}`, at]];
      const bodies = Object.entries(operation.requestBody.content['application/json']!.examples!);
      return bodies.map(([name, { value }]) => [`${method} ${path}: ${name}`, { ...at, body: value }]);
    }),
  );
}

/** Sends examples with credentials of this installation; all else is as the document has it. */
function createSender() {
  const visitor = createVisitor({ url: app.url, ...DEMO });

  async function solved(): Promise<string> {
    const { body } = await visitor.call('GET', 'captcha/altcha/challenge');
    return solve(body as unknown as Challenge);
  }

  /** What a caller fills in who has this way in. */
  async function credentials(way: readonly string[]): Promise<Record<string, string>> {
    if (way.includes('signature')) return { ...(await visitor.sign()), 'x-captcha-token': await solved() };
    if (way.includes('metricsToken')) return { authorization: `Bearer ${METRICS_TOKEN}` };
    if (way.includes('token'))
      return { authorization: `Bearer ${await createToken(app.services, DEMO.team, DEMO.owner)}` };
    return {};
  }

  return async ({ path, method, operation, body }: Example, way: readonly string[]): Promise<Response> => {
    const { parameters = [] } = operation;
    const headers = await credentials(way);
    const exampleOf = ({ name, example }: Parameter): string =>
      // A token's id is what stands before the | of its value.
      name === 'id' ? (/\d+/.exec(headers.authorization ?? '')?.[0] ?? '') : String(example);
    const given = (place: Parameter['in']) =>
      parameters.filter((parameter) => parameter.in === place && parameter.example !== undefined);
    const filled = given('path').reduce(
      (url, parameter) => url.replace(`{${parameter.name}}`, exampleOf(parameter)),
      path,
    );
    const query = new URLSearchParams(
      given('query').map((parameter): [string, string] => [parameter.name, exampleOf(parameter)]),
    );
    for (const parameter of given('header')) headers[parameter.name.toLowerCase()] = exampleOf(parameter);
    return fetch(`${app.url}${filled}?${query}`, {
      method: method.toUpperCase(),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  };
}

describe('an example of the document works as it is', () => {
  let sent: ReturnType<typeof createSender>;

  beforeAll(() => {
    sent = createSender();
  });

  const paths = createOpenApi({ publicUrl: 'http://formgate.test' }).paths;

  test.each(examplesOf(paths))('%s', async (_name, example) => {
    for (const way of example.operation.security.length > 0 ? example.operation.security : [{}]) {
      const response = await sent(example, Object.keys(way));
      const success = Object.keys(example.operation.responses).filter((status) => status.startsWith('2'));
      expect([String(response.status), await response.text()]).toEqual([success[0], expect.anything()]);
    }
  });
});
