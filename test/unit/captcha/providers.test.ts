import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RemoteSettings, verifyRemote } from '../../../src/captcha/providers/verify-remote.js';
import { createCipher } from '../../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';
import { begin } from '../../support/begin.js';
import type { Behaviour } from '../../support/captcha-misbehaviour.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  type ProviderName,
  startCaptchaProviders,
} from '../../support/captcha-providers.js';
import { eventually } from '../../support/wait.js';

const WEBSITE = '018f2b5e-7c1a-7000-8000-000000000001';
const HOSTNAME = 'www.acme.test';
const cipher = createCipher(createKeyring(Buffer.alloc(32, 1)));

const PROVIDERS = [
  ['recaptcha_v3', 'recaptcha'],
  ['recaptcha_enterprise', 'recaptchaEnterprise'],
  ['turnstile', 'turnstile'],
  ['hcaptcha', 'hcaptcha'],
] as const satisfies readonly (readonly [RemoteSettings['type'], ProviderName])[];

type Settings = { site_key?: string; secret?: string; project_id?: string; api_key?: string };

function stepOf(
  type: RemoteSettings['type'],
  overrides: Settings & { minScore?: number } = {},
): RemoteSettings {
  const settings: Settings = { ...PROVIDER_SETTINGS[type], ...overrides };
  const seal = (plain: string | undefined, name: string) =>
    plain === undefined ? null : cipher.encrypt(plain, `captcha:${WEBSITE}:${type}:a:${name}`);
  return {
    id: 1,
    websiteId: WEBSITE,
    position: 0,
    type,
    identifier: 'a',
    siteKey: settings.site_key ?? null,
    secretCipher: seal(settings.secret, 'secret'),
    projectId: settings.project_id ?? null,
    apiKeyCipher: seal(settings.api_key, 'api-key'),
    minScore: overrides.minScore ?? null,
  };
}

let providers: CaptchaProviders;
/** Begins early, as it takes three seconds. */
let sharedTime: ReturnType<typeof hangInSecondCall>;

beforeAll(async () => {
  providers = await startCaptchaProviders();
  sharedTime = begin(hangInSecondCall);
});
afterEach(() => {
  expect(providers.faults).toEqual([]);
  expect(providers.followedRedirects()).toBe(0);
  providers.reset();
});
afterAll(() => providers.stop());

function verify(step: RemoteSettings, token: string, asked = providers) {
  const attempt = { token, clientIp: '203.0.113.7', userAgent: 'Test/1', hostname: HOSTNAME };
  return verifyRemote({ cipher, verifyUrls: asked.verifyUrls }, step, attempt);
}

/** Asks a Turnstile of its own that fails at first and then hangs. */
async function hangInSecondCall() {
  const own = await startCaptchaProviders();
  own.behave('turnstile', 'internal_error_then_hang');
  const startedAt = performance.now();
  const { outcome } = await verify(stepOf('turnstile'), own.issue('turnstile'), own);
  const tookMs = performance.now() - startedAt;
  await own.stop();
  return { outcome, tookMs, faults: own.faults, redirects: own.followedRedirects() };
}

const refusal = (reason: string, blamesSecret = false) => ({ outcome: 'refused', reason, blamesSecret });

test('every provider times out after three seconds, in whichever way it is silent', async () => {
  const timeout = { outcome: 'unavailable', reason: 'timeout' };
  const ways: [Behaviour, object][] = [
    ['hang', timeout],
    ['hang_in_body', timeout],
    ['drip', timeout],
    ['refuse_and_hang', refusal('client_error')],
  ];
  const asked: Promise<void>[] = [];
  for (const [behaviour, expected] of ways) {
    const askAll = PROVIDERS.map(async ([type, name]) => {
      providers.behave(name, behaviour);
      const startedAt = performance.now();
      const verdict = await verify(stepOf(type), providers.issue(name));
      const took = performance.now() - startedAt;
      expect({ type, behaviour, verdict }).toEqual({ type, behaviour, verdict: expected });
      expect(took).toBeGreaterThan(2_900);
      expect(took).toBeLessThan(3_500);
    });
    asked.push(...askAll);
    await eventually(() => providers.calls.length === asked.length);
  }
  await Promise.all(asked);
});

describe.each(PROVIDERS)('%s', (type, name) => {
  test('accepts a token of its widget, once', async () => {
    const token = providers.issue(name, { hostname: HOSTNAME });
    expect(await verify(stepOf(type), token)).toEqual({ outcome: 'accepted' });
    expect(await verify(stepOf(type), token)).toEqual(refusal('rejected'));
    expect(providers.calls).toHaveLength(2);
  });

  test('sends the documented parameters', async () => {
    await verify(stepOf(type), 'a token & more=é+');
    const { fields } = providers.calls[0]!;
    expect(fields).toMatchObject(
      type === 'recaptcha_enterprise'
        ? { token: 'a token & more=é+', siteKey: 'site-ent', expectedAction: 'submit', userAgent: 'Test/1' }
        : { secret: PROVIDER_SETTINGS[type].secret, response: 'a token & more=é+', remoteip: '203.0.113.7' },
    );
    expect(fields.sitekey).toBe(type === 'hcaptcha' ? 'site-hc' : undefined);
  });

  test.each([
    ['no host name', 'accepted', undefined],
    ['an empty host name', 'accepted', ''],
    ['the website’s host name in other case', 'accepted', 'WWW.Acme.test'],
    ['another host name', 'refused', 'evil.test'],
    ['a longer host name', 'refused', 'x.www.acme.test'],
    ['a list of host names', 'refused', [HOSTNAME]],
  ])('a token with %s is %s', async (_case, outcome, hostname) => {
    const verdict = await verify(stepOf(type), providers.issue(name, { hostname }));
    expect(verdict).toEqual(outcome === 'accepted' ? { outcome } : refusal('wrong_hostname'));
  });

  test.each(['missing', 'wrong'])('a %s secret is distinguished from a bad token', async (which) => {
    const secret = which === 'missing' ? undefined : 'nonsense';
    const key = type === 'recaptcha_enterprise' ? 'api_key' : 'secret';
    const verdict = await verify(stepOf(type, { [key]: secret }), providers.issue(name));
    expect(verdict).toEqual(refusal(which === 'missing' ? 'secret_missing' : 'secret_refused', true));
    expect(providers.calls).toHaveLength(which === 'missing' ? 0 : 1);
  });

  test('a secret encrypted under another APP_KEY counts as missing', async () => {
    const attempt = { token: 't', clientIp: '203.0.113.7', userAgent: undefined, hostname: HOSTNAME };
    const other = {
      cipher: createCipher(createKeyring(Buffer.alloc(32, 2))),
      verifyUrls: providers.verifyUrls,
    };
    expect(await verifyRemote(other, stepOf(type), attempt)).toEqual(refusal('secret_missing', true));
  });

  // Enterprise alone answers a faulty token with 200, so that these are about its key and project.
  const refusalOfKey =
    type === 'recaptcha_enterprise' ? refusal('secret_refused', true) : refusal('client_error');

  test.each<[Behaviour, object]>([
    ['redirect', refusal('redirected')],
    ['nonsense', refusal('not_json')],
    ['not_gzip', refusal('not_json')],
    ['not_brotli', refusal('not_json')],
    ['empty', refusal('not_json')],
    ['json_list', refusal('not_json')],
    ['huge', refusal('too_large')],
    [400, refusal('client_error')],
    [401, refusalOfKey],
    [404, refusalOfKey],
    ['refuse_deeply', refusal('client_error')],
    [429, refusal('client_error')],
    [301, refusal('redirected')],
    [500, { outcome: 'unavailable', reason: 'server_error' }],
    [502, { outcome: 'unavailable', reason: 'server_error' }],
    [503, { outcome: 'unavailable', reason: 'server_error' }],
    ['reset', { outcome: 'unavailable', reason: 'network_error' }],
    ['close_half_way', { outcome: 'unavailable', reason: 'network_error' }],
  ])('the answer %s means %j', async (behaviour, verdict) => {
    providers.behave(name, behaviour);
    expect(await verify(stepOf(type), providers.issue(name))).toEqual(verdict);
  });

  test('is unavailable when nothing listens at its address', async () => {
    const verifyUrls = {
      recaptcha: 'http://127.0.0.1:9',
      recaptchaEnterprise: 'http://127.0.0.1:9',
      turnstile: 'http://127.0.0.1:9',
      hcaptcha: 'http://127.0.0.1:9',
    };
    const attempt = { token: 't', clientIp: '203.0.113.7', userAgent: undefined, hostname: HOSTNAME };
    expect(await verifyRemote({ cipher, verifyUrls }, stepOf(type), attempt)).toEqual({
      outcome: 'unavailable',
      reason: 'network_error',
    });
  });
});

describe.each([
  ['recaptcha_v3', 'recaptcha'],
  ['recaptcha_enterprise', 'recaptchaEnterprise'],
] as const)('%s', (type, name) => {
  test.each([
    ['a score of 0.5 is enough', 0.5, undefined, 'accepted'],
    ['a score under 0.5 is not', 0.49, undefined, 'low_score'],
    ['a score that reaches the step’s own threshold is enough', 0.3, 0.3, 'accepted'],
    ['a score that misses the step’s own threshold is not', 0.8, 0.9, 'low_score'],
    ['a threshold of 0 takes every score', 0, 0, 'accepted'],
    ['a missing score is refused', undefined, 0, 'low_score'],
    ['a score as a string is refused', '0.9', undefined, 'low_score'],
  ])('%s', async (_case, score, minScore, expected) => {
    const verdict = await verify(stepOf(type, { minScore }), providers.issue(name, { score }));
    expect(verdict.outcome === 'accepted' ? 'accepted' : verdict.reason).toBe(expected);
  });

  test.each(['login', '', undefined, 'Submit', null])('the action %p is refused', async (action) => {
    expect(await verify(stepOf(type), providers.issue(name, { action }))).toMatchObject({
      reason: 'wrong_action',
    });
  });
});

test('Enterprise: a project that is not the key’s blames the settings', async () => {
  const step = stepOf('recaptcha_enterprise', { project_id: 'another' });
  expect(await verify(step, providers.issue('recaptchaEnterprise'))).toMatchObject({
    reason: 'secret_refused',
    blamesSecret: true,
  });
});

test('hCaptcha: a site key that is not the secret’s blames the settings', async () => {
  const verdict = await verify(stepOf('hcaptcha', { site_key: 'another' }), providers.issue('hcaptcha'));
  expect(verdict).toMatchObject({ reason: 'secret_refused', blamesSecret: true });
});

test('hCaptcha: a withheld host name is accepted', async () => {
  const token = providers.issue('hcaptcha', { hostname: 'not-provided' });
  expect(await verify(stepOf('hcaptcha'), token)).toEqual({ outcome: 'accepted' });
});

describe('Turnstile', () => {
  const step = stepOf('turnstile');

  test.each([
    ['submit', 'accepted'],
    ['', 'accepted'],
    [undefined, 'accepted'],
    ['login', 'refused'],
    [1, 'refused'],
  ])('the action %p is %s', async (action, outcome) => {
    const verdict = await verify(step, providers.issue('turnstile', { action }));
    expect(verdict.outcome).toBe(outcome);
  });

  test('an internal error is retried once with the same idempotency key', async () => {
    providers.behave('turnstile', 'internal_error_once');
    expect(await verify(step, providers.issue('turnstile'))).toEqual({ outcome: 'accepted' });
    const keys = providers.calls.map(({ fields }) => fields.idempotency_key);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  test('a second internal error is a refusal', async () => {
    providers.behave('turnstile', 'internal_error');
    expect(await verify(step, providers.issue('turnstile'))).toMatchObject({
      outcome: 'refused',
      reason: 'rejected',
    });
    expect(providers.calls).toHaveLength(2);
  });

  test('both calls share the three seconds', async () => {
    const { tookMs, ...verdict } = await sharedTime;
    expect(verdict).toEqual({ outcome: 'unavailable', faults: [], redirects: 0 });
    expect(tookMs).toBeLessThan(3_500);
  });
});
