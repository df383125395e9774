import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices } from '../../src/services.js';
import { testConfig } from '../support/app.js';
import { PROVIDER_SETTINGS, startCaptchaProviders } from '../support/captcha-providers.js';
import { startCollector } from '../support/collector.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { startSmtpSink } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

let database: TestDatabase;
let collector: Awaited<ReturnType<typeof startCollector>>;
let providers: Awaited<ReturnType<typeof startCaptchaProviders>>;
let sink: Awaited<ReturnType<typeof startSmtpSink>>;
let env: Record<string, string>;
let token: string;
let site: string;
const started: Running[] = [];

beforeAll(async () => {
  [database, collector, providers, sink] = await Promise.all([
    createTestDatabase(),
    startCollector(),
    startCaptchaProviders(),
    startSmtpSink(),
  ]);
  env = {
    DATABASE_URL: database.url,
    SMTP_URL: sink.url,
    MAIL_FROM: 'forms@formgate.test',
    PORT: '0',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...providers.env,
  };
  const services = createServices(testConfig(env), createLogger('silent'));
  const captcha = [{ key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }];
  await provision(services, [team('acme', { websites: [website('www.acme.test', { captcha })] })]);
  token = await createToken(services, 'acme', 'owner@acme.test');
  site = await websiteId(services, 'www.acme.test');
  await services.close();
});

afterEach(async () => {
  const ending = started.splice(0);
  for (const { child } of ending) child.kill('SIGKILL');
  await Promise.all(ending.map(({ finished }) => finished));
});

afterAll(async () => {
  await Promise.all([collector.stop(), providers.stop(), sink.stop()]);
  await database.drop();
});

/** The settings of an operator whose collector takes JSON. */
const traced = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  OTEL_BSP_SCHEDULE_DELAY: '50',
});

function run(command: string, settings: Record<string, string>): Running {
  const running = runFormgate([command], { ...env, ...settings });
  started.push(running);
  return running;
}

async function startGateway(settings: Record<string, string>): Promise<{ running: Running; url: string }> {
  const running = run('gateway', settings);
  const [, url] = await running.printed(/"url":"([^"]+)","msg":"Gateway listens"/);
  return { running, url: url! };
}

async function startWorker(settings: Record<string, string>): Promise<Running> {
  const running = run('worker', settings);
  await running.printed(/"msg":"Worker runs"/);
  return running;
}

async function stop({ child, finished }: Running) {
  child.kill('SIGTERM');
  return finished;
}

/** Submits with a token, past a captcha that the provider accepts. */
async function submit(url: string, headers: Record<string, string> = {}): Promise<{ leadId: string }> {
  const answer = await fetch(`${url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-captcha-token': providers.issue('turnstile', { action: 'submit', hostname: 'www.acme.test' }),
      ...headers,
    },
    body: JSON.stringify({ email: 'ada@visitor.test', name: 'Ada Lovelace' }),
  });
  expect(answer.status).toBe(200);
  return { leadId: ((await answer.json()) as { lead_id: string }).lead_id };
}

const linesOf = ({ output }: Running): Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

test('a submission is one trace, from the caller over captcha and record to its e-mail', async () => {
  const { running: gateway, url } = await startGateway(traced());
  const worker = await startWorker(traced());
  const { leadId } = await submit(url, {
    traceparent: `00-${TRACE}-${CALLER}-01`,
    'x-request-id': 'from-the-proxy',
  });
  const ids = {
    'formgate.request_id': 'from-the-proxy',
    'formgate.lead_id': leadId,
    'formgate.website_id': site,
  };

  const names = ['verify captcha', 'record submission', 'notification', 'send e-mail'];
  const ofTrace = await eventually(() => {
    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
    return spans.length === 5 && new Map(spans.map((span) => [span.name, span]));
  });
  const request = ofTrace.get('POST /api/websites/:website/forms/:slug/submit')!;
  expect(request).toMatchObject({
    service: 'formgate-gateway',
    kind: 2,
    parentSpanId: CALLER,
    attributes: {
      ...ids,
      'http.request.method': 'POST',
      'http.route': '/api/websites/:website/forms/:slug/submit',
      'http.response.status_code': 200,
    },
  });
  const [captcha, record, notification, mail] = names.map((name) => ofTrace.get(name)!);
  expect(captcha).toMatchObject({
    service: 'formgate-gateway',
    kind: 3,
    parentSpanId: request.spanId,
    attributes: { 'formgate.captcha.step': 'turnstile:main', 'formgate.captcha.verdict': 'accepted' },
  });
  expect(record).toMatchObject({
    service: 'formgate-gateway',
    kind: 1,
    parentSpanId: request.spanId,
    attributes: { 'formgate.lead_id': leadId, 'formgate.outcome': 'recorded' },
  });
  expect(notification).toMatchObject({
    service: 'formgate-worker',
    kind: 5,
    parentSpanId: request.spanId,
    attributes: { ...ids, 'formgate.attempt': 1 },
  });
  expect(mail).toMatchObject({
    service: 'formgate-worker',
    kind: 3,
    parentSpanId: notification!.spanId,
    attributes: { 'formgate.mail.outcome': 'sent', 'formgate.mail.smtp_code': 250 },
  });

  expect(collector.requests[0]).toMatchObject({
    path: '/v1/traces',
    authorization: 'Bearer of-the-collector',
  });
  const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString();
  for (const secret of ['visitor.test', 'Lovelace', token.split('|')[1]!, 'acme.test'])
    expect(sent).not.toContain(secret);

  await Promise.all([stop(gateway), stop(worker)]);
  for (const running of [gateway, worker]) {
    const about = linesOf(running).filter((line) => line.leadId === leadId);
    expect(about).toMatchObject([{ traceId: TRACE, requestId: 'from-the-proxy' }]);
  }
});

test('an e-mail that the mail server did not take is a span in error', async () => {
  const { running: gateway, url } = await startGateway({ ...traced(), OTEL_SERVICE_NAME: 'agency-forms' });
  const worker = await startWorker({ ...traced(), SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
  const { leadId } = await submit(url);
  const mail = await eventually(() => {
    const notification = collector.spans.find(
      ({ name, attributes }) => name === 'notification' && attributes['formgate.lead_id'] === leadId,
    );
    return notification && collector.spans.find(({ parentSpanId }) => parentSpanId === notification.spanId);
  });
  expect(mail).toMatchObject({
    name: 'send e-mail',
    status: { code: 2 },
    attributes: { 'formgate.mail.outcome': 'deferred', 'error.type': 'deferred' },
  });
  expect(collector.spans.find(({ traceId, kind }) => traceId === mail.traceId && kind === 2)?.service).toBe(
    'agency-forms',
  );
  await Promise.all([stop(gateway), stop(worker)]);
});

test('concurrent submissions that share batches keep traces of their own, in one process too', async () => {
  const running = run('start', traced());
  const [, url] = await running.printed(/"url":"([^"]+)","msg":"Gateway listens"/);
  await running.printed(/"msg":"Worker runs"/);
  const traces = Array.from({ length: 20 }, () => randomBytes(16).toString('hex'));
  const answers = await Promise.all(
    traces.map((trace) => submit(url!, { traceparent: `00-${trace}-${CALLER}-01` })),
  );
  const leadOf = new Map(traces.map((trace, index) => [trace, answers[index]!.leadId]));
  const ofThem = await eventually(
    () => {
      const spans = collector.spans.filter(({ traceId }) => leadOf.has(traceId));
      return spans.length === 5 * traces.length && spans;
    },
    { withinMs: 30_000 },
  );
  for (const { name, service, traceId, attributes } of ofThem) {
    expect(service).toBe('formgate');
    if (!['verify captcha', 'send e-mail'].includes(name))
      expect(attributes['formgate.lead_id']).toBe(leadOf.get(traceId));
  }
  await stop(running);
});

test('spans are sent as Protobuf by default, the last ones when the process stops', async () => {
  const before = collector.requests.length;
  const { running, url } = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  await fetch(`${url}/api/openapi.json`);
  expect(await stop(running)).toMatchObject({ code: 0 });
  const sent = collector.requests.slice(before);
  expect(sent).toMatchObject([{ path: '/v1/traces', type: 'application/x-protobuf' }]);
  expect(sent[0]!.body.includes('GET /api/openapi.json')).toBe(true);
});

test('a collector that is away is told of once, and hinders neither requests nor the stop', async () => {
  const { running, url } = await startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  expect((await fetch(`${url}/api/openapi.json`)).status).toBe(200);
  await running.printed(/"cause":"connection_refused".*"msg":"Spans not exported"/);
  expect((await fetch(`${url}/api/openapi.json`)).status).toBe(200);
  const { code, stderr } = await stop(running);
  expect(code).toBe(0);
  expect(stderr.match(/Spans not exported/g)).toHaveLength(1);
});

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test.each<[string, Record<string, string>]>([
  ['without an endpoint', {}],
  ['with OTEL_TRACES_EXPORTER=none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
  ['with OTEL_SDK_DISABLED=true', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }],
])('%s OpenTelemetry’s SDK is not loaded, and no line has a trace', async (_name, settings) => {
  const probe = join(await mkdtemp(join(tmpdir(), 'probe-')), 'probe.cjs');
  await writeFile(
    probe,
    `process.on('exit', () => console.log('LOADED ' + Object.keys(require.cache)
      .filter((file) => /opentelemetry.(core|sdk|resources|exporter|otlp)/.test(file)).length))`,
  );
  const { running, url } = await startGateway({ ...settings, NODE_OPTIONS: `--require ${probe}` });
  await fetch(`${url}/api/openapi.json`, { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } });
  const { stdout } = await stop(running);
  expect(stdout).toBe('LOADED 0\n');
  const [line] = linesOf(running).filter(({ msg }) => msg === 'Request');
  expect(line).not.toHaveProperty('traceId');
});

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
])('%s=%s is refused at the start', async (name, value) => {
  const { code, stderr } = await run('gateway', { [name]: value }).finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Wrong configuration:\n  ${name} .+\n$`)),
  });
});
