import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import type { Behaviour } from '../support/captcha-misbehaviour.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  type ProviderName,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

/** The longest chain; the shorter ones are its beginnings. */
const CHAIN: readonly { key: string; provider: ProviderName; settings: object }[] = [
  { key: 'turnstile:main', provider: 'turnstile', settings: PROVIDER_SETTINGS.turnstile },
  { key: 'hcaptcha:eu', provider: 'hcaptcha', settings: PROVIDER_SETTINGS.hcaptcha },
  { key: 'recaptcha_v3:g', provider: 'recaptcha', settings: PROVIDER_SETTINGS.recaptcha_v3 },
  {
    key: 'recaptcha_enterprise:g',
    provider: 'recaptchaEnterprise',
    settings: PROVIDER_SETTINGS.recaptcha_enterprise,
  },
];

const hostOf = (length: number) => `chain-${length}.acme.test`;
const MIXED_HOST = 'mixed.acme.test';
const TTL_MS = 120_000;

let providers: CaptchaProviders;
let app: TestApp;
let token: string;
let aheadMs = 0;

beforeAll(async () => {
  providers = await startCaptchaProviders();
  app = await startTestApp({ env: providers.env, clock: () => new Date(Date.now() + aheadMs) });
  const step = ({ key, settings }: (typeof CHAIN)[number]) => ({ key, ...settings });
  const websites = [1, 2, 3, 4].map((length) =>
    website(hostOf(length), { captcha: CHAIN.slice(0, length).map(step) }),
  );
  const mixed = website(MIXED_HOST, { captcha: [step(CHAIN[0]!), { key: 'altcha:own' }, step(CHAIN[1]!)] });
  await provision(app.services, [team('acme', { websites: [...websites, mixed] })], {
    submissions_per_minute: 100_000,
    submissions_per_hour: 100_000,
  });
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});
afterEach(() => {
  expect(providers.faults).toEqual([]);
  providers.reset();
  aheadMs = 0;
});
afterAll(async () => {
  await app.close();
  await providers.stop();
});

type Sender = 'an integration token' | 'a visitor';
type Presented = { step?: string; captcha?: string; fallback?: unknown; body?: object; headers?: object };
type Answer = { lead_id: string; error?: string; next?: string; fallback_token?: string };
const signatures = new Map<string, Promise<Record<string, string>>>();

/** What a page of a website sends to be admitted; one signature does for all of its visitors. */
async function pageHeaders(host: string, site: string): Promise<Record<string, string>> {
  const origin = `https://${host}`;
  const visitor = createVisitor({ url: app.url, websiteId: site, origin });
  if (!signatures.has(host)) signatures.set(host, visitor.sign());
  return { origin, ...(await signatures.get(host)) };
}

/** Submits to the website of a host, and tells what came back and how long it took. */
async function submit(host: string, sender: Sender, { step, captcha, fallback, body, headers }: Presented) {
  const site = await websiteId(app.services, host);
  const who = sender === 'a visitor' ? await pageHeaders(host, site) : { authorization: `Bearer ${token}` };
  const startedAt = performance.now();
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...who,
      ...headers,
      ...(step && { 'x-captcha-provider': step }),
      ...(captcha && { 'x-captcha-token': captcha }),
    },
    body: JSON.stringify({ email: 'v@x.test', captcha_fallback: fallback, ...body }),
  });
  const answer = (await response.json()) as Answer;
  const tookMs = performance.now() - startedAt;
  return { status: response.status, body: answer, headers: response.headers, tookMs };
}

const recorded = (leadId: string) =>
  app.services.db.orm.submission.findUniqueOrThrow({ where: { id: leadId } });

const refusedWith = (error: string) => ({ status: 403, body: { error } });

const incidents = async (host: string) => {
  const rows = await app.services.db.orm.incident.findMany({ where: { website: { host } } });
  return rows.map(({ stepKey, reason }) => `${stepKey} ${reason}`).sort();
};

const senders = ['an integration token', 'a visitor'] as const;
const rows = senders.flatMap((sender) => [1, 2, 3, 4].map((length) => [length, sender] as const));

describe.each(rows)('a chain of %i, %s', (length, sender) => {
  const host = hostOf(length);
  const chain = CHAIN.slice(0, length);
  const [first] = chain as [(typeof CHAIN)[number]];

  /** Lets every step before this one fail in turn, and returns their answers and the fallback token for it. */
  async function reach(index: number) {
    let fallback: string | undefined;
    const answers: unknown[] = [];
    for (const { key, provider } of chain.slice(0, index)) {
      providers.behave(provider, 503);
      const { status, body } = await submit(host, sender, { step: key, captcha: 'solved', fallback });
      answers.push({ status, ...body });
      fallback = body.fallback_token;
    }
    return { answers, fallback };
  }

  test('a missing token is captcha_required', async () => {
    expect(await submit(host, sender, {})).toMatchObject(refusedWith('captcha_required'));
    expect(await submit(host, sender, { step: first.key })).toMatchObject(refusedWith('captcha_required'));
    expect(providers.calls).toEqual([]);
  });

  test('a rejected token is captcha_failed on every step', async () => {
    for (const [index, { key, provider }] of chain.entries()) {
      const { fallback } = await reach(index);
      const captcha = providers.issue(provider === 'turnstile' ? 'hcaptcha' : 'turnstile');
      expect(await submit(host, sender, { step: key, captcha, fallback })).toMatchObject(
        refusedWith('captcha_failed'),
      );
      providers.reset();
    }
  });

  test('a step that is not allowed is captcha_provider_not_allowed', async () => {
    for (const { key } of chain.slice(1)) {
      expect(await submit(host, sender, { step: key, captcha: 't' })).toMatchObject(
        refusedWith('captcha_provider_not_allowed'),
      );
    }
    for (const step of ['turnstile:other', 'altcha', 'altcha:own', 'nonsense']) {
      expect(await submit(host, sender, { step, captcha: 't' })).toMatchObject(
        refusedWith('captcha_provider_not_allowed'),
      );
    }
    expect(providers.calls).toEqual([]);
  });

  test('each step accepts a valid token, and the submission records the ground', async () => {
    for (const [index, { key, provider }] of chain.entries()) {
      const { fallback } = await reach(index);
      const captcha = providers.issue(provider, { hostname: host });
      const { status, body } = await submit(host, sender, { step: key, captcha, fallback });
      expect(status).toBe(200);
      const submission = await recorded(body.lead_id);
      expect(submission).toMatchObject({
        captchaKey: key,
        captchaGround: index === 0 ? 'first' : 'designated',
        needsReview: false,
      });
      if (fallback) expect(JSON.stringify(submission)).not.toContain(fallback);
      providers.reset();
    }
  });

  test('a step whose provider fails is captcha_fallback, with the next step and a token for it', async () => {
    const { answers } = await reach(length - 1);
    const named = chain.slice(1).map(({ key }) => ({
      status: 403,
      error: 'captcha_fallback',
      next: key,
      fallback_token: expect.any(String),
    }));
    expect(answers).toEqual(named);
  });

  test('with every step unreachable the submission is accepted for review, with an incident', async () => {
    const last = chain.at(-1)!;
    const { fallback } = await reach(length - 1);
    providers.behave(last.provider, 'reset');
    const { status, body } = await submit(host, sender, { step: last.key, captcha: 't', fallback });
    expect(status).toBe(200);
    expect(await recorded(body.lead_id)).toMatchObject({
      captchaKey: last.key,
      captchaGround: 'pass_through',
      needsReview: true,
    });
    await eventually(async () => (await incidents(host)).includes(`${last.key} pass_through`));
    expect(await incidents(host)).toEqual(
      expect.arrayContaining([
        ...chain.slice(0, -1).map(({ key }) => `${key} server_error`),
        `${last.key} network_error`,
      ]),
    );
  });

  test.each<Behaviour>([400, 401, 404, 429, 'redirect', 'nonsense', 'huge'])(
    '%s from the provider is captcha_failed on every step',
    async (behaviour) => {
      for (const [index, { key, provider }] of chain.entries()) {
        const { fallback } = await reach(index);
        providers.behave(provider, behaviour);
        expect(await submit(host, sender, { step: key, captcha: 't', fallback })).toMatchObject(
          refusedWith('captcha_failed'),
        );
      }
    },
  );
});

describe('a proof of work out of order', () => {
  test.each(senders)('is verified and opens nothing for %s', async (sender) => {
    const presented = { step: 'altcha:own', captcha: 'not a proof' };
    expect(await submit(MIXED_HOST, sender, presented)).toMatchObject(refusedWith('captcha_failed'));
    expect(providers.calls).toEqual([]);
  });
});

describe('a fallback', () => {
  const host = hostOf(2);
  const [first, second] = [CHAIN[0]!.key, CHAIN[1]!.key];
  const { provider } = CHAIN[1]!;

  async function fallbackToken(from = host): Promise<string> {
    providers.behave('turnstile', 500);
    const { body } = await submit(from, 'a visitor', { step: first, captcha: 't' });
    providers.reset();
    return body.fallback_token!;
  }

  test('is answered within 3.2 s when the provider hangs, before or within its response', async () => {
    const ways: Behaviour[] = ['hang', 'hang_in_body', 'drip'];
    const asked: ReturnType<typeof submit>[] = [];
    for (const how of ways) {
      providers.behave('turnstile', how);
      asked.push(submit(host, 'a visitor', { step: first, captcha: 't' }));
      await eventually(() => providers.calls.length === asked.length);
    }
    for (const { body, tookMs } of await Promise.all(asked)) {
      expect(body.error).toBe('captcha_fallback');
      expect(tookMs).toBeLessThan(3_500);
    }
  });

  test('is readable to a page of the website', async () => {
    providers.behave('turnstile', 503);
    const { headers } = await submit(host, 'a visitor', { step: first, captcha: 't' });
    expect(headers.get('access-control-allow-origin')).toBe(`https://${host}`);
  });

  test('has a token that expires after two minutes', async () => {
    const fallback = await fallbackToken();
    aheadMs = TTL_MS - 5_000;
    const captcha = providers.issue(provider);
    expect((await submit(host, 'a visitor', { step: second, captcha, fallback })).status).toBe(200);
    aheadMs = TTL_MS + 1;
    expect(await submit(host, 'a visitor', { step: second, captcha, fallback })).toMatchObject(
      refusedWith('captcha_provider_not_allowed'),
    );
  });

  test('has a token for one website and one step', async () => {
    const fallback = await fallbackToken(hostOf(3));
    const presented = { step: second, captcha: providers.issue(provider), fallback };
    expect(await submit(host, 'a visitor', presented)).toMatchObject(
      refusedWith('captcha_provider_not_allowed'),
    );
    expect(await submit(hostOf(3), 'a visitor', { ...presented, step: 'recaptcha_v3:g' })).toMatchObject(
      refusedWith('captcha_provider_not_allowed'),
    );
    expect((await submit(hostOf(3), 'a visitor', presented)).status).toBe(200);
  });

  test.each([null, 7, true, [], {}, '', 'x', 'x'.repeat(5_000)])(
    'is not granted by the token %p',
    async (fallback) => {
      expect(await submit(host, 'a visitor', { step: second, captcha: 't', fallback })).toMatchObject(
        refusedWith('captcha_provider_not_allowed'),
      );
    },
  );

  test('is not granted by a request header', async () => {
    const headers = { 'x-captcha-fallback': await fallbackToken() };
    expect(await submit(host, 'a visitor', { step: second, captcha: 't', headers })).toMatchObject(
      refusedWith('captcha_provider_not_allowed'),
    );
  });
});

describe('a captcha token', () => {
  const host = hostOf(1);

  test('of 4,096 characters is verified by the provider, one of 4,097 is refused without it', async () => {
    const longest = providers.issue('turnstile', {}, 'x'.repeat(4_096));
    expect((await submit(host, 'a visitor', { captcha: longest })).status).toBe(200);
    expect(providers.calls).toHaveLength(1);
    expect(await submit(host, 'a visitor', { captcha: 'x'.repeat(4_097) })).toMatchObject(
      refusedWith('captcha_failed'),
    );
    expect(providers.calls).toHaveLength(1);
  });

  test('is not verified by the provider when fields are invalid', async () => {
    const captcha = providers.issue('turnstile');
    expect((await submit(host, 'a visitor', { captcha, body: { email: 'no' } })).status).toBe(422);
    expect(providers.calls).toEqual([]);
    expect((await submit(host, 'a visitor', { captcha })).status).toBe(200);
  });

  test('is sent to the provider with the visitor’s IP address', async () => {
    await submit(host, 'a visitor', { captcha: providers.issue('turnstile') });
    expect(providers.calls[0]?.fields.remoteip).toMatch(/127\.0\.0\.1$/);
  });
});
