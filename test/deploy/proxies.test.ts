import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { commandEnv, startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { type Running, runFormgate, runProgram } from '../support/formgate.js';
import { describeWith } from '../support/programs.js';
import { eventually } from '../support/wait.js';

const HOST = 'www.acme.test';
const ORIGIN = `https://${HOST}`;

type Answer = Readonly<{ status: number; headers: IncomingHttpHeaders; body: string }>;
type Sent = Readonly<{ method?: string; headers?: Record<string, string>; body?: string }>;

/** Sends a request over a connection of its own, to a certificate that nobody vouches for. */
const send = (url: string, { body, ...options }: Sent = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    request(url, { agent: false, rejectUnauthorized: false, ...options }, async (response) => {
      const { statusCode: status, headers } = response;
      resolve({ status: status!, headers, body: await text(response).catch(() => '') });
    })
      .on('error', reject)
      .end(body);
  });

type Ports = Readonly<{ proxy: number; gateways: readonly [string, string] }>;
type Started = Readonly<{ running: Running; url: string }>;

/** Starts nginx with deploy/nginx/formgate.conf, in which ports and certificate are those of the test. */
async function startNginx(folder: string, { proxy, gateways }: Ports): Promise<Started> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=forms.agency.example', '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', ...kind, ...names], { stdio: 'pipe' });
  const redirect = await freePort();
  const conf = (await readFile('deploy/nginx/formgate.conf', 'utf8'))
    .replace('127.0.0.1:3000', gateways[0])
    .replace('127.0.0.1:3001', gateways[1])
    .replace(/listen \[::\].*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${redirect};`)
    .replace('listen 443 ', `listen 127.0.0.1:${proxy} `)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
    ${conf} }`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, main);
  const args = ['-e', 'stderr', '-p', folder, '-c', file];
  expect(await runProgram(['nginx', ...args, '-t'], { env: {} }).finished).toMatchObject({ code: 0 });
  return { running: runProgram(['nginx', ...args], { env: {} }), url: `https://127.0.0.1:${proxy}` };
}

/** Starts Caddy with deploy/caddy/Caddyfile, without TLS: no authority would vouch for the test. */
async function startCaddy(folder: string, { proxy, gateways }: Ports): Promise<Started> {
  const args = ['--adapter', 'caddyfile', '--config'];
  const env = { HOME: folder };
  const original = 'deploy/caddy/Caddyfile';
  expect(await runProgram(['caddy', 'validate', ...args, original], { env }).finished).toMatchObject({
    code: 0,
  });
  const file = join(folder, 'Caddyfile');
  const site = (await readFile(original, 'utf8'))
    .replace('127.0.0.1:3000', gateways[0])
    .replace('127.0.0.1:3001', gateways[1])
    .replace(/^forms\.agency\.example/m, `http://127.0.0.1:${proxy}`);
  await writeFile(file, `{\n\tadmin off\n}\n${site}`);
  const running = runProgram(['caddy', 'run', ...args, file], { env });
  return { running, url: `http://127.0.0.1:${proxy}` };
}

describeWith('nginx', 'openssl')('nginx with deploy/nginx/formgate.conf', () => behindProxy(startNginx));
describeWith('caddy')('Caddy with deploy/caddy/Caddyfile', () => behindProxy(startCaddy));

function behindProxy(start: (folder: string, ports: Ports) => Promise<Started>): void {
  let app: TestApp;
  let proxy: Started;
  let submitPath: string;
  const started: Running[] = [];

  beforeAll(async () => {
    app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
    await provision(app.services, [team('acme', { websites: [website(HOST)] })]);
    proxy = await startBefore([new URL(app.url).host, `127.0.0.1:${await freePort()}`]);
    submitPath = `/api/websites/${await websiteId(app.services, HOST)}/forms/contact/submit`;
  });

  afterAll(async () => {
    for (const { child } of started) child.kill('SIGTERM');
    await Promise.all(started.map(({ finished }) => finished));
    await app.close();
  });

  /** Starts the proxy in front of two gateways. */
  async function startBefore(gateways: readonly [string, string]): Promise<Started> {
    const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
    const { running, url } = await start(folder, { proxy: await freePort(), gateways });
    started.push(running);
    await eventually(() =>
      send(`${url}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    return { running, url };
  }

  /** Starts a gateway as a process of its own, and returns it when it is ready. */
  async function startGateway(port: number): Promise<Running> {
    const env = { ...commandEnv(app), TRUST_PROXY: 'loopback', LOG_LEVEL: 'info', PORT: String(port) };
    const running = runFormgate(['gateway'], env);
    started.push(running);
    await running.printed(/"msg":"Gateway listens"/);
    await eventually(async () => (await send(`http://127.0.0.1:${port}/readyz`)).status === 200);
    return running;
  }

  test('every request is answered while one of two gateways is gone', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(`${proxy.url}/healthz`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });

  test('no submission is lost or mixed up while one gateway restarts after the other', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const gateways = await Promise.all(ports.map(startGateway));
    const { url } = await startBefore([`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]);
    const token = await createToken(app.services, 'acme', 'owner@acme.test');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    // A gateway on an overloaded machine may say so itself; what it refuses it has not recorded.
    const submit = (id: string) =>
      send(`${url}${submitPath}`, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': id },
        body: JSON.stringify({ name: id, email: 'ada@example.com' }),
      }).then(({ status, headers: own }) => (status === 503 && own['x-request-id'] === id ? 'busy' : status));

    const statuses: Promise<number | 'busy'>[] = [];
    const timer = setInterval(() => statuses.push(submit(`submission-${statuses.length}`)), 20);
    for (const [index, port] of ports.entries()) {
      gateways[index]!.child.kill('SIGTERM');
      expect(await gateways[index]!.finished).toMatchObject({ code: 0 });
      const restarted = await startGateway(port);
      // A proxy that asks each second does not know at once that it is back, as the guide to upgrades says.
      await eventually(() => restarted.output().includes('"requestId":"submission-'));
    }
    clearInterval(timer);
    const answered = (await Promise.all(statuses)).filter((status) => status !== 'busy');
    expect(new Set(answered)).toEqual(new Set([200]));

    const recorded = await app.services.db.orm.submission.findMany({
      where: { requestId: { startsWith: 'submission-' } },
    });
    expect(recorded.length).toBe(answered.length);
    expect(
      recorded.filter(({ requestId, values }) => (values as { name: string }).name !== requestId),
    ).toEqual([]);
  });

  test('a captcha token of 20,000 characters is refused by the gateway, so that the page can read why', async () => {
    const headers = {
      origin: ORIGIN,
      'content-type': 'application/json',
      'x-captcha-token': 'x'.repeat(20_000),
    };
    const answer = await send(`${proxy.url}${submitPath}`, { method: 'POST', headers, body: '{}' });
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  test('a body that is too large is refused by the gateway, so that the page can read why', async () => {
    const headers = { origin: ORIGIN, 'content-type': 'application/json' };
    const body = JSON.stringify({ message: 'x'.repeat(300_000) });
    const answer = await send(`${proxy.url}${submitPath}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(413);
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
  });

  test('the metrics are not there for the world', async () => {
    expect((await send(`${proxy.url}/metrics`)).status).toBe(404);
  });

  test('an address that a client claims does not count', async () => {
    const guess = (index: number) =>
      send(`${proxy.url}/api/tokens`, {
        headers: { authorization: `Bearer ${index}|x`, 'x-forwarded-for': `203.0.113.${index}` },
      });
    const answers = [];
    for (let index = 0; index < 31; index++) answers.push((await guess(index)).status);
    expect(answers).toEqual([...Array(30).fill(401), 429]);
  });
}
