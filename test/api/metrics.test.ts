import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { VERSION } from '../../src/lib/telemetry/version.js';
import { startTestApp, type TestApp } from '../support/app.js';

const TOKEN = 'a-metrics-token-of-its-own';
let app: TestApp;
let workerPort: number;

beforeAll(async () => {
  workerPort = await freePort();
  app = await startTestApp({ worker: true, env: { METRICS_TOKEN: TOKEN, WORKER_PORT: `${workerPort}` } });
});

afterAll(() => app?.close());

const get = (base: string, authorization?: string) =>
  fetch(`${base}/metrics`, { headers: authorization ? { authorization } : {} });

test.each(['gateway', 'worker'])('the %s serves metrics for METRICS_TOKEN only', async (which) => {
  const base = which === 'gateway' ? app.url : `http://127.0.0.1:${workerPort}`;
  for (const wrong of [undefined, 'Bearer wrong', TOKEN, `Basic ${TOKEN}`]) {
    expect((await get(base, wrong)).status).toBe(401);
  }
  await fetch(`${app.url}/api/websites/nowhere/forms/contact/submit`, { method: 'POST' });
  const response = await get(base, `Bearer ${TOKEN}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  expect(text).toMatch(/^formgate_notifications_pending 0$/m);
  expect(text).toContain(`formgate_build_info{version="${VERSION}",node="${process.version}"} 1`);
  expect(text).toMatch(/^formgate_queue_jobs\{queue="submission-email",state="waiting"\} 0$/m);
  expect(text).toMatch(
    /formgate_http_request_duration_seconds_count\{method="POST",route="\/api\/websites\/:website\/forms\/:slug\/submit",status="404"\} \d/,
  );
});

test('the worker serves /healthz and /readyz', async () => {
  for (const path of ['healthz', 'readyz']) {
    expect((await fetch(`http://127.0.0.1:${workerPort}/${path}`)).status).toBe(200);
  }
});

test('metrics have the reachability of each dependency, on a worker of the mail server too', async () => {
  const dependencies = async (base: string) => {
    const text = await (await get(base, `Bearer ${TOKEN}`)).text();
    return [...text.matchAll(/^formgate_dependency_up\{dependency="(\w+)"\} 1$/gm)].map(([, name]) => name);
  };
  expect(await dependencies(app.url)).toEqual(expect.arrayContaining(['database', 'queue']));
  expect(await dependencies(`http://127.0.0.1:${workerPort}`)).toEqual(
    expect.arrayContaining(['database', 'queue', 'mail']),
  );
});

test('metrics label GraphQL operations by kind and field, not by the client’s name', async () => {
  const ask = (query: string) =>
    fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  await ask('query Mine { teams { edges { node { id } } } }');
  await ask('{ teams { edges { node { id } } } forms { edges { node { id } } } }');
  await ask('{ nothing }');
  const text = await (await get(app.url, `Bearer ${TOKEN}`)).text();
  const operations = [...text.matchAll(/_count\{[^}]*route="\/graphql"[^}]*operation="([^"]*)"/g)];
  expect(operations.map(([, operation]) => operation)).toEqual(['query teams', 'query (several)']);
  expect(text).not.toContain('Mine');
});

test('the liveness check has the version', async () => {
  const response = await fetch(`${app.url}/healthz`);
  expect(await response.json()).toEqual({ status: 'ok', version: VERSION });
});

test('a gateway without METRICS_TOKEN has no metrics', async () => {
  const other = await startTestApp();
  expect((await get(other.url)).status).toBe(404);
  await other.close();
});
