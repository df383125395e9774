import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { eventually } from '../support/wait.js';

let database: TestDatabase;
let env: Record<string, string>;
let token: string;
const started: Running[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: 'http://formgate.test',
    APP_KEY: Buffer.alloc(32, 1).toString('base64'),
    PORT: '0',
  };
  await runFormgate(['provision', 'examples/agency.yaml'], env).finished;
  const created = await runFormgate(
    ['token', 'create', '--team', 'lumen', '--user', 'claire@lumen-paysage.test', '--name', 'test'],
    env,
  ).finished;
  token = created.stdout.trim();
});

afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ finished }) => finished));
  await database.drop();
});

async function startGateway(settings: Record<string, string>): Promise<{ running: Running; url: string }> {
  const running = runFormgate(['gateway'], { ...env, ...settings });
  started.push(running);
  const [, url] = await running.printed(/"url":"([^"]+)","msg":"Gateway listens"/);
  return { running, url: url! };
}

async function readiness(url: string): Promise<unknown> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: await response.json() };
}

/** Reads the token's websites over a new connection. */
async function directoryStatus(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  return (await fetch(`${url}/api/websites`, { headers })).status;
}

const DRAINING = { status: 503, body: { process: 'draining' } };

test('a gateway that is told to stop is not ready at once, and serves until the delay is over', async () => {
  const { running, url } = await startGateway({ DRAIN_DELAY_S: '4', KEEP_ALIVE_S: '120' });
  expect(await readiness(url)).toEqual({ status: 200, body: { database: 'ok', queue: 'ok' } });
  const stoppedAt = performance.now();
  running.child.kill('SIGTERM');
  await running.printed(/"drainDelayS":4,"msg":"Draining"/);
  expect(await readiness(url)).toEqual(DRAINING);
  expect(await directoryStatus(url)).toBe(200);
  expect((await fetch(`${url}/healthz`)).headers.get('keep-alive')).toBe('timeout=120');
  expect(performance.now() - stoppedAt).toBeLessThan(4_000);
  expect(await running.finished).toMatchObject({ code: 0 });
  expect(performance.now() - stoppedAt).toBeGreaterThan(4_000);
});

test('a second signal ends the delay and the process', async () => {
  const { running, url } = await startGateway({ DRAIN_DELAY_S: '300' });
  running.child.kill('SIGTERM');
  await eventually(async () => JSON.stringify(await readiness(url)) === JSON.stringify(DRAINING));
  running.child.kill('SIGTERM');
  expect(await running.finished).toMatchObject({ code: 1 });
});

test('without a delay a stop is quick', async () => {
  const { running } = await startGateway({});
  const stoppedAt = performance.now();
  running.child.kill('SIGTERM');
  expect(await running.finished).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Draining') });
  expect(performance.now() - stoppedAt).toBeLessThan(5_000);
});

test('a worker stops without the delay', async () => {
  const running = runFormgate(['worker'], { ...env, DRAIN_DELAY_S: '300' });
  started.push(running);
  await running.printed(/"msg":"Worker runs"/);
  running.child.kill('SIGTERM');
  expect(await running.finished).toMatchObject({ code: 0 });
});

test.each([
  ['DRAIN_DELAY_S', '-1'],
  ['DRAIN_DELAY_S', 'soon'],
  ['KEEP_ALIVE_S', '0'],
])('%s=%s is refused at the start', async (name, value) => {
  const { code, stderr } = await runFormgate(['gateway'], { ...env, [name]: value }).finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Wrong configuration:\n  ${name} .+\n$`)),
  });
});
