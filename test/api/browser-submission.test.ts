import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { type CaptchaStep, createGateway, submitPath } from '../../web/script/gateway.js';
import { createPreparation } from '../../web/script/preparation.js';
import { type Outcome, type Solution, send } from '../../web/script/submission.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { solve as solveChallenge } from '../support/solve.js';
import { eventually } from '../support/wait.js';

/*
 * The browser script's way of sending, without the browser: its own code against a real gateway, real proofs of
 * work, and the stand-in for the providers.
 */

const HOSTS = { proof: 'proof.acme.test', chain: 'chain.acme.test', remote: 'remote.acme.test' } as const;
type Site = keyof typeof HOSTS;

const SIGNATURE_TTL_MS = 600_000;
const PATH = submitPath({ slug: 'contact' });

let app: TestApp;
let providers: CaptchaProviders;
const ids = {} as Record<Site, string>;
let aheadMs = 0;

beforeAll(async () => {
  providers = await startCaptchaProviders();
  app = await startTestApp({ env: providers.env, clock: () => new Date(Date.now() + aheadMs) });
  const turnstile = { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile };
  const hcaptcha = { key: 'hcaptcha:eu', ...PROVIDER_SETTINGS.hcaptcha };
  const altcha = { key: 'altcha:own' };
  await provision(app.services, [
    team('acme', {
      forms: [contactForm()],
      websites: [
        website(HOSTS.proof),
        website(HOSTS.chain, { captcha: [turnstile, hcaptcha, altcha] }),
        website(HOSTS.remote, { captcha: [turnstile, hcaptcha] }),
      ],
    }),
  ]);
  for (const site of Object.keys(HOSTS) as Site[]) ids[site] = await websiteId(app.services, HOSTS[site]);
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

type Call = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown> | null;
  status: number;
};

type Case = {
  body?: Record<string, unknown>;
  idempotencyKey?: string;
  /** Links that this page cannot load. */
  unloadable?: string[];
  isInsecure?: boolean;
  /** Prepares the submission before it is sent, and runs what happens in between. */
  whilePrepared?(calls: readonly Call[]): void | Promise<void>;
  /** Runs when a solution is asked for and the signatures asked for so far are there. */
  beforeSolved?(count: number): void;
};

/** Sends from a page of one of the websites; every call it makes is noted. */
async function submit(site: Site, settings: Case = {}) {
  const { body = { email: 'v@x.test' }, idempotencyKey = `key-${Math.random()}` } = settings;
  const calls: Call[] = [];
  let asked = 0;
  const fetchAsPage: typeof fetch = async (input, init = {}) => {
    if (String(input).endsWith('/signature')) asked += 1;
    const headers = { ...(init.headers as Record<string, string>) };
    const response = await fetch(input, {
      ...init,
      headers: { ...headers, origin: `https://${HOSTS[site]}` },
    });
    calls.push({
      method: init.method ?? 'GET',
      path: new URL(String(input)).pathname.split(ids[site])[1]!,
      headers,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : null,
      status: response.status,
    });
    return response;
  };
  const gateway = createGateway({ base: app.url, website: ids[site], fetch: fetchAsPage });
  const solved: string[] = [];
  const signed = () => calls.filter(({ path }) => path === '/signature').length;

  async function solve(step: CaptchaStep): Promise<Solution> {
    if (settings.unloadable?.includes(step.key)) return { outcome: 'unloadable' };
    if (settings.isInsecure && step.type === 'altcha') return { outcome: 'insecure' };
    solved.push(step.key);
    await eventually(() => signed() === asked);
    settings.beforeSolved?.(solved.length);
    if (step.type !== 'altcha') {
      return { outcome: 'solved', token: providers.issue(step.type as 'turnstile' | 'hcaptcha') };
    }
    const answer = await gateway.challenge();
    if (answer.status !== 200) return { outcome: 'failed', answer };
    return { outcome: 'solved', token: solveChallenge(answer.body as unknown as Challenge) };
  }

  const preparation = createPreparation({ gateway, path: PATH, solve });
  if (settings.whilePrepared) {
    preparation.start();
    preparation.start();
    await eventually(() => calls.filter(({ path }) => !path.startsWith('/captcha/')).length >= 3);
    await settings.whilePrepared(calls);
  }
  const before = calls.length;
  const prepared = preparation.take();
  const outcome = await send({ gateway, path: PATH, body, idempotencyKey, prepared, solve });
  const posts = calls.filter(({ method }) => method === 'POST');
  return { outcome, calls, posts, solved, signed: signed(), afterClick: calls.slice(before) };
}

async function recorded(outcome: Outcome) {
  if (!outcome.ok) throw new Error(`Not accepted: ${JSON.stringify(outcome)}`);
  return app.services.db.orm.submission.findUniqueOrThrow({ where: { id: outcome.leadId } });
}

describe('a proof of work', () => {
  test('is solved and accepted in one attempt', async () => {
    const { outcome, calls, solved } = await submit('proof');
    expect(outcome).toEqual({ ok: true, message: 'Merci.', leadId: expect.any(String) });
    expect(await recorded(outcome)).toMatchObject({ captchaKey: 'altcha' });
    expect(solved).toEqual(['altcha']);
    expect(calls.map(({ path }) => path).sort()).toEqual([
      '/captcha',
      '/captcha/altcha/challenge',
      '/forms/contact/submit',
      '/signature',
    ]);
  });

  test('an expired signature is renewed once, with a fresh solution and the same key', async () => {
    const { outcome, posts, solved, signed } = await submit('proof', {
      beforeSolved() {
        aheadMs = 2 * SIGNATURE_TTL_MS;
      },
    });
    await recorded(outcome);
    expect(posts.map(({ status }) => status)).toEqual([403, 200]);
    expect(signed).toBe(2);
    expect(solved).toEqual(['altcha', 'altcha']);
    const [first, second] = posts.map(({ headers }) => headers);
    expect(second!['Idempotency-Key']).toBe(first!['Idempotency-Key']);
    expect(second!['X-Captcha-Token']).not.toBe(first!['X-Captcha-Token']);
    expect(second!['X-Website-Signature']).not.toBe(first!['X-Website-Signature']);
  });

  test('a signature that expires within an attempt is not requested a third time', async () => {
    const { outcome, posts } = await submit('proof', {
      beforeSolved(count) {
        aheadMs = count * 2 * SIGNATURE_TTL_MS;
      },
    });
    expect(outcome).toMatchObject({ ok: false, reason: 'refused', code: 'invalid_signature', status: 403 });
    expect(posts).toHaveLength(2);
  });

  test('the same idempotency key and body again return the same lead', async () => {
    const idempotencyKey = 'typed-once';
    const [first, second] = [
      await submit('proof', { idempotencyKey }),
      await submit('proof', { idempotencyKey }),
    ];
    expect(second.outcome).toEqual(first.outcome);
    expect(first.outcome.ok).toBe(true);
  });

  test('ends at a proof of work on a page without https', async () => {
    const { outcome, posts } = await submit('proof', { isInsecure: true });
    expect(outcome).toMatchObject({ ok: false, reason: 'captcha_unavailable', status: 0 });
    expect(posts).toEqual([]);
  });
});

describe('a captcha chain', () => {
  test('continues at the step in `next`, once for each provider that is down', async () => {
    providers.behave('turnstile', 503);
    providers.behave('hcaptcha', 503);
    const { outcome, posts, solved, signed } = await submit('chain');
    expect(solved).toEqual(['turnstile:main', 'hcaptcha:eu', 'altcha:own']);
    expect(await recorded(outcome)).toMatchObject({ captchaKey: 'altcha:own' });
    expect(posts.map(({ status }) => status)).toEqual([403, 403, 200]);
    expect(signed).toBe(1);
    const bodies = posts.map(({ body }) => body);
    expect(bodies[0]).not.toHaveProperty('captcha_fallback');
    expect(bodies[1]?.captcha_fallback).not.toBe(bodies[2]?.captcha_fallback);
    expect(new Set(posts.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1);
  });

  test('continues at the next proof of work when a provider’s script does not load', async () => {
    const { outcome, posts, solved } = await submit('chain', { unloadable: ['turnstile:main'] });
    expect(solved).toEqual(['altcha:own']);
    expect(await recorded(outcome)).toMatchObject({ captchaKey: 'altcha:own' });
    expect(posts[0]!.body).not.toHaveProperty('captcha_fallback');
  });

  test('drops the fallback token when the designated provider’s script does not load', async () => {
    providers.behave('turnstile', 503);
    const { outcome, posts, solved } = await submit('chain', { unloadable: ['hcaptcha:eu'] });
    expect(solved).toEqual(['turnstile:main', 'altcha:own']);
    await recorded(outcome);
    expect(posts[1]!.body).not.toHaveProperty('captcha_fallback');
  });

  test('ends when no remaining step loads', async () => {
    const { outcome, posts } = await submit('remote', { unloadable: ['turnstile:main'] });
    expect(outcome).toMatchObject({ ok: false, reason: 'captcha_unavailable' });
    expect(posts).toEqual([]);
  });

  test('ends when a provider refuses the token', async () => {
    providers.behave('turnstile', 400);
    const { outcome, posts } = await submit('chain');
    expect(outcome).toMatchObject({ ok: false, reason: 'captcha', code: 'captcha_failed' });
    expect(posts).toHaveLength(1);
  });
});

describe('a final answer is reported with its reason', () => {
  test('422, with the messages of its fields', async () => {
    const { outcome, posts } = await submit('proof', { body: { email: 'nobody', form_locale: 'en' } });
    expect(outcome).toMatchObject({
      ok: false,
      reason: 'invalid',
      errors: { email: [expect.stringMatching(/valid e-mail/)] },
    });
    expect(posts).toHaveLength(1);
  });

  test('413', async () => {
    const { outcome } = await submit('proof', { body: { email: 'v@x.test', note: 'x'.repeat(300_000) } });
    expect(outcome).toMatchObject({ ok: false, reason: 'too_large', status: 413 });
  });

  test('429, with its Retry-After', async () => {
    const plan = { where: { code: 'default' } };
    await app.services.db.orm.plan.update({ ...plan, data: { submissionsPerMinute: 1 } });
    app.services.changeFeed.expire();
    await submit('remote');
    const { outcome, posts } = await submit('remote');
    await app.services.db.orm.plan.update({ ...plan, data: { submissionsPerMinute: 10_000 } });
    app.services.changeFeed.expire();
    expect(outcome).toMatchObject({ ok: false, reason: 'too_many', status: 429 });
    expect(!outcome.ok && outcome.waitS).toBeGreaterThan(0);
    expect(posts).toHaveLength(1);
  });

  test('no answer', async () => {
    const gateway = createGateway({ base: 'http://127.0.0.1:1', website: ids.proof });
    const outcome = await send({
      gateway,
      path: PATH,
      body: {},
      idempotencyKey: 'x',
      prepared: { signature: gateway.signature(), captcha: gateway.captcha() },
      solve: async () => ({ outcome: 'unloadable' }),
    });
    expect(outcome).toMatchObject({ ok: false, reason: 'unreachable', status: 0, code: null });
  });
});

describe('a submission that was prepared', () => {
  const isChallenged = (calls: readonly Call[]) =>
    eventually(() => calls.some(({ path }) => path === '/captcha/altcha/challenge'));

  test('costs one request, whose preflight has been answered', async () => {
    const { outcome, calls, afterClick } = await submit('proof', {
      whilePrepared: async (made) => void (await isChallenged(made)),
    });
    expect(await recorded(outcome)).toMatchObject({ captchaKey: 'altcha' });
    expect(afterClick.map(({ method, path }) => [method, path])).toEqual([['POST', '/forms/contact/submit']]);
    expect(calls.map(({ method, path, status }) => [method, path, status]).sort()).toEqual([
      ['GET', '/captcha', 200],
      ['GET', '/captcha/altcha/challenge', 200],
      ['GET', '/signature', 200],
      ['OPTIONS', '/forms/contact/submit', 204],
      ['POST', '/forms/contact/submit', 200],
    ]);
  });

  test('has not asked another company, whose captcha is solved at the click', async () => {
    const { outcome, solved } = await submit('remote', {
      whilePrepared: () => expect(providers.calls).toEqual([]),
    });
    expect(await recorded(outcome)).toMatchObject({ captchaKey: 'turnstile:main' });
    expect(solved).toEqual(['turnstile:main']);
  });

  test('is prepared anew at the click when it would have expired', async () => {
    const { outcome, signed } = await submit('proof', {
      async whilePrepared(made) {
        await isChallenged(made);
        jest.spyOn(Date, 'now').mockReturnValue(Date.now() + SIGNATURE_TTL_MS);
      },
    });
    jest.restoreAllMocks();
    expect(outcome.ok).toBe(true);
    expect(signed).toBe(2);
  });

  test('is prepared at the click when the gateway has refused before, and not with every key', async () => {
    const asked: string[] = [];
    const refused = async () => ({ status: 429, body: {}, waitS: 60 });
    const gateway = {
      signature() {
        asked.push('signature');
        return refused();
      },
      captcha: refused,
      warmUp: refused,
    };
    const solve = async () => ({ outcome: 'failed' }) as const;
    const preparation = createPreparation({ gateway, path: PATH, solve });
    preparation.start();
    await new Promise((resolve) => setImmediate(resolve));
    preparation.start();
    expect(asked).toHaveLength(1);
    expect((await preparation.take().signature).status).toBe(429);
    expect(asked).toHaveLength(2);
  });
});
