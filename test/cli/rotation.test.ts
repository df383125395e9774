import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../src/services.js';
import { testConfig } from '../support/app.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { freshIp } from '../support/integrator.js';
import { solve } from '../support/solve.js';
import { type Answer, createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const [OLD, NEW] = [1, 2].map((fill) => Buffer.alloc(32, fill).toString('base64')) as [string, string];

const HOSTS = { proof: 'proof.acme.test', chain: 'chain.acme.test' } as const;

/** Submissions of each kind that each phase of the rotation must see. */
const EACH_PHASE = 15;

let database: TestDatabase;
let providers: CaptchaProviders;
let services: Services;
let sites: Record<keyof typeof HOSTS, string>;

const environment = (keys: Record<string, string>) => ({
  DATABASE_URL: database.url,
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'forms@formgate.test',
  PUBLIC_URL: 'http://formgate.test',
  PORT: '0',
  TRUST_PROXY: 'loopback',
  ALTCHA_MAX_NUMBER: '1000',
  ...providers.env,
  ...keys,
});

/** The gateways behind a load balancer, which sends each request to any of them. */
const gateways: { url: string; running: Running }[] = [];

async function startGateway(keys: Record<string, string>) {
  const running = runFormgate(['gateway'], environment(keys));
  const [, url] = await running.printed(/"url":"(http:[^"]+)","msg":"Gateway listens"/);
  return { url: url!, running };
}

/** Replaces one gateway after the other, each taken out of the load balancer before it stops. */
async function rollingRestart(keys: Record<string, string>): Promise<void> {
  for (const index of gateways.keys()) {
    const former = gateways[index]!;
    gateways[index] = await startGateway(keys);
    await passPhase();
    former.running.child.kill('SIGTERM');
    expect((await former.running.finished).code).toBe(0);
  }
}

beforeAll(async () => {
  [database, providers] = await Promise.all([createTestDatabase(), startCaptchaProviders()]);
  services = createServices(testConfig(environment({ APP_KEY: OLD })), createLogger('silent'));
  const captcha = [
    { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile },
    { key: 'hcaptcha:eu', ...PROVIDER_SETTINGS.hcaptcha },
  ];
  await provision(services, [
    team('acme', { websites: [website(HOSTS.proof), website(HOSTS.chain, { captcha })] }),
  ]);
  sites = {
    proof: await websiteId(services, HOSTS.proof),
    chain: await websiteId(services, HOSTS.chain),
  };
  providers.behave('turnstile', 503);
  gateways.push(await startGateway({ APP_KEY: OLD }), await startGateway({ APP_KEY: OLD }));
});

afterAll(async () => {
  for (const { running } of gateways) {
    running.child.kill('SIGTERM');
    await running.finished;
  }
  await services.close();
  await providers.stop();
  await database.drop();
});

const recorded = { proof: 0, chain: 0 };
const refused: unknown[] = [];
let isOver = false;

/** Sends a request of a visitor of a website through the load balancer. */
function ask(
  kind: keyof typeof HOSTS,
  method: string,
  path: string,
  headers: object,
  body?: object,
): Promise<Answer> {
  const { url } = gateways[Math.floor(Math.random() * gateways.length)]!;
  const visitor = createVisitor({ url, websiteId: sites[kind], origin: `https://${HOSTS[kind]}` });
  return visitor.call(method, path, { body, headers: { 'x-forwarded-for': freshIp(), ...headers } });
}

async function sign(kind: keyof typeof HOSTS): Promise<Record<string, string>> {
  const { body } = await ask(kind, 'GET', 'signature', {});
  return { 'x-website-signature': String(body.signature), 'x-website-timestamp': String(body.timestamp) };
}

const submit = (kind: keyof typeof HOSTS, headers: object, body: object = {}) =>
  ask(kind, 'POST', 'forms/contact/submit', headers, { email: 'v@x.test', ...body });

/** Submits with a signature and a proof of work, each from any gateway. */
async function submitProof(): Promise<Answer> {
  const signed = await sign('proof');
  const { body } = await ask('proof', 'GET', 'captcha/altcha/challenge', {});
  return submit('proof', { ...signed, 'x-captcha-token': solve(body as Challenge) });
}

/** Submits with a signature, and with a fallback token after the first provider has failed. */
async function submitFallback(): Promise<Answer> {
  const signed = await sign('chain');
  const first = await submit('chain', { ...signed, 'x-captcha-token': 'any' });
  if (first.body.error !== 'captcha_fallback') return first;
  const headers = {
    'x-captcha-provider': String(first.body.next),
    'x-captcha-token': providers.issue('hcaptcha', { hostname: HOSTS.chain }),
  };
  return submit('chain', { ...signed, ...headers }, { captcha_fallback: first.body.fallback_token });
}

async function keepSubmitting(kind: keyof typeof HOSTS, once: () => Promise<Answer>): Promise<void> {
  while (!isOver) {
    const answer = await once().catch((error: Error) => ({ status: 0, body: String(error.cause ?? error) }));
    if (answer.status === 200) recorded[kind] += 1;
    else refused.push({ kind, status: answer.status, body: answer.body });
  }
}

/** Waits until visitors have submitted often enough with what runs now. */
async function passPhase(): Promise<void> {
  const before = { ...recorded };
  await eventually(
    () =>
      refused.length > 0 ||
      (recorded.proof >= before.proof + EACH_PHASE && recorded.chain >= before.chain + EACH_PHASE),
    { withinMs: 30_000 },
  );
  expect(refused).toEqual([]);
}

test('a rotation of APP_KEY under traffic refuses no visitor', async () => {
  const visitors = [
    ...[1, 2].map(() => keepSubmitting('proof', submitProof)),
    ...[1, 2].map(() => keepSubmitting('chain', submitFallback)),
  ];
  try {
    await passPhase();
    const both = { APP_KEY: NEW, APP_KEY_PREVIOUS: OLD };
    await rollingRestart(both);
    const rekey = await runFormgate(['rekey'], { ...environment(both), LOG_LEVEL: 'silent' }).finished;
    expect(rekey).toMatchObject({ code: 0, stderr: '' });
    expect(rekey.stdout).toMatch(/^4 encrypted anew; nothing is left under another key\.$/m);
    await passPhase();
    await rollingRestart({ APP_KEY: NEW });
    await passPhase();
  } finally {
    isOver = true;
    await Promise.all(visitors);
  }
  expect(refused).toEqual([]);
  expect(await services.db.orm.submission.count()).toBe(recorded.proof + recorded.chain);
  const retired = await runFormgate(['gateway'], environment({ APP_KEY: OLD })).finished;
  expect(retired).toMatchObject({ code: 1, stderr: expect.stringMatching(/^APP_KEY is not the key/) });
}, 180_000);
