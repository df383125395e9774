import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { type CaptchaChains, LINK, startCaptchaChains, WHOLE } from '../support/captcha-chains.js';
import type { Behaviour } from '../support/captcha-misbehaviour.js';
import { type CaptchaProviders, PROVIDER_SETTINGS, type ProviderName } from '../support/captcha-providers.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let providers: CaptchaProviders;
let owner: PanelClient;
let site: string;
let chains: CaptchaChains;

beforeAll(async () => {
  chains = await startCaptchaChains();
  ({ app, providers, owner, site } = chains);
});
afterEach(() => {
  expect(providers.faults).toEqual([]);
  providers.reset();
});
afterAll(() => chains.close());

const send = (query: string, variables: object) => chains.send(query, variables);
const save = (links: object[]) => chains.save(links);

const check = async (key: string) =>
  (
    await send('mutation ($site: ID!, $key: String!) { checkCaptchaLink(websiteId: $site, key: $key) }', {
      site,
      key,
    })
  ).data.checkCaptchaLink;

const turnstile = { key: 'turnstile:main', siteKey: 'site-ts' };
const listed = (over: object) => ({
  siteKey: null,
  hasSecret: false,
  projectId: null,
  hasApiKey: false,
  minScore: null,
  ...over,
});

/** The same links without what is secret. */
const withoutSecrets = WHOLE.map(({ secret: _, apiKey: __, ...link }) => link);

describe('saving a captcha chain', () => {
  test('saves it whole, reads it back without secrets, and shows it to browsers at once', async () => {
    const { data } = await save(WHOLE);
    expect(data.saveCaptchaChain).toEqual([
      listed({ key: 'turnstile:main', type: 'turnstile', position: 0, siteKey: 'site-ts', hasSecret: true }),
      listed({ key: 'hcaptcha:b', type: 'hcaptcha', position: 1, siteKey: 'site-hc', hasSecret: true }),
      listed({
        key: 'recaptcha_v3:c',
        type: 'recaptcha_v3',
        position: 2,
        siteKey: 'site-v3',
        hasSecret: true,
        minScore: 0.7,
      }),
      listed({
        key: 'recaptcha_enterprise:d',
        type: 'recaptcha_enterprise',
        position: 3,
        siteKey: 'site-ent',
        projectId: 'project-1',
        hasApiKey: true,
      }),
      listed({ key: 'altcha', type: 'altcha', position: 4 }),
    ]);
    const visitor = createVisitor({ url: app.url, websiteId: site, origin: 'https://www.acme.test' });
    await eventually(
      async () => ((await visitor.call('GET', 'captcha')).body.chain as object[]).length === 5,
    );
  });

  test('keeps stored secrets when none is given, in another order too', async () => {
    await save(WHOLE);
    const { data } = await save(
      withoutSecrets.toReversed().map((link) => ({ ...link, secret: null, apiKey: null })),
    );
    const READ = `query ($site: ID!) { website(id: $site) { captchaChain { ${LINK} } } }`;
    expect((await send(READ, { site })).data.website.captchaChain).toEqual(data.saveCaptchaChain);
    expect(
      data.saveCaptchaChain.map(({ key, hasSecret, hasApiKey }: Record<string, unknown>) => [
        key,
        hasSecret,
        hasApiKey,
      ]),
    ).toEqual([
      ['altcha', false, false],
      ['recaptcha_enterprise:d', false, true],
      ['recaptcha_v3:c', true, false],
      ['hcaptcha:b', true, false],
      ['turnstile:main', true, false],
    ]);
    await save([turnstile]);
    const visitor = createVisitor({ url: app.url, websiteId: site, origin: 'https://www.acme.test' });
    const token = providers.issue('turnstile', { hostname: 'www.acme.test' });
    app.services.changeFeed.expire();
    const headers = { ...(await visitor.sign()), 'x-captcha-token': token };
    expect((await visitor.submit({ headers })).status).toBe(200);
  });
});

const CHECKED = [
  ['turnstile:main', 'turnstile', WHOLE[0]],
  ['hcaptcha:b', 'hcaptcha', WHOLE[1]],
  ['recaptcha_v3:c', 'recaptcha', WHOLE[2]],
  ['recaptcha_enterprise:d', 'recaptchaEnterprise', WHOLE[3]],
] as const satisfies readonly (readonly [string, ProviderName, unknown])[];

describe('checking credentials', () => {
  test.each(CHECKED)(
    'tells accepted from refused, unreachable and unclear: %s',
    async (key, provider, link) => {
      await save([link!]);
      expect(await check(key)).toBe('ACCEPTED');
      expect(providers.calls.map((call) => call.provider)).toEqual([provider]);

      const wrong = { ...link, secret: undefined, apiKey: undefined };
      await save([
        { ...wrong, ...(provider === 'recaptchaEnterprise' ? { apiKey: 'wrong-1' } : { secret: 'wrong-2' }) },
      ]);
      expect(await check(key)).toBe('REFUSED');

      for (const behaviour of ['reset', 503] satisfies Behaviour[]) {
        providers.behave(provider, behaviour);
        expect(await check(key)).toBe('UNREACHABLE');
      }
      providers.behave(provider, 'nonsense');
      expect(await check(key)).toBe('UNCLEAR');
    },
  );

  test('recognises test credentials, which accept every token', async () => {
    await save([WHOLE[0]!]);
    providers.issue('turnstile', { hostname: 'www.acme.test' }, 'formgate-credentials-check');
    expect(await check('turnstile:main')).toBe('ACCEPTS_ANYTHING');
  });

  test('accepts a proof of work without any, and refuses other projects and site keys', async () => {
    await save([{ key: 'altcha:own' }, { ...WHOLE[3]!, projectId: 'other' }]);
    expect(await check('altcha:own')).toBe('ACCEPTED');
    expect(await check('recaptcha_enterprise:d')).toBe('REFUSED');
    expect(providers.calls.length).toBe(1);
  });

  test('is a NOT_FOUND for an unknown step, and limited', async () => {
    const CHECK = 'mutation ($site: ID!, $key: String!) { checkCaptchaLink(websiteId: $site, key: $key) }';
    expect(await owner.refused(CHECK, { site, key: 'turnstile:other' })).toBe('NOT_FOUND');
    const admin = await loggedIn(app.url, app.services, 'admin@acme.test');
    const codes = await Promise.all(
      Array.from({ length: 31 }, async () => {
        const { errors } = await admin.send(CHECK, { site, key: 'altcha:own' });
        return errors?.[0]?.extensions.code ?? 'passed';
      }),
    );
    expect(codes.filter((code) => code === 'RATE_LIMITED').length).toBe(1);
  });
});

describe('saving a captcha chain refuses', () => {
  test.each([
    ['a new link without its secret', [{ key: 'hcaptcha:new', siteKey: 'x' }], 'links.0.secret'],
    [
      'a new link without its API key',
      [{ key: 'recaptcha_enterprise:new', siteKey: 'x', projectId: 'p' }],
      'links.0.apiKey',
    ],
    [
      'a link without a site key',
      [{ key: 'altcha' }, { key: 'turnstile:x', secret: 's3cret-1' }],
      'links.1.siteKey',
    ],
    ['a setting of another type', [{ key: 'altcha', siteKey: 'x' }], 'links.0.siteKey'],
    ['a key that is none', [{ key: 'friendly:x' }], 'links.0.key'],
    ['the same key twice', [{ key: 'altcha' }, { key: 'altcha' }], 'links.1.key'],
    [
      'a threshold beyond 1',
      [{ key: 'recaptcha_v3:x', siteKey: 'x', secret: 's3cret-1', minScore: 1.1 }],
      'links.0.minScore',
    ],
  ])('%s', async (_what, links, path) => {
    await save([{ key: 'altcha:kept' }]);
    const { errors } = await save(links);
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [path]: [expect.any(String)] },
    });
    const { website } = await owner.ask(
      'query ($site: ID!) { website(id: $site) { captchaChain { key } } }',
      { site },
    );
    expect(website.captchaChain).toEqual([{ key: 'altcha:kept' }]);
  });

  test('a step without a key, and does not repeat its secret', async () => {
    const { errors } = await save([{ siteKey: 'x', secret: 's3cret-1' }]);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

test('no answer and no line of the log holds a secret', async () => {
  const { answers, written } = chains;
  const secrets = [
    ...Object.values(PROVIDER_SETTINGS).flatMap((settings) =>
      'secret' in settings ? [settings.secret] : [],
    ),
    ...['api-key-1', 'wrong-1', 'wrong-2', 's3cret-1'],
  ];
  expect(answers.length).toBeGreaterThan(30);
  expect(written.join('')).toContain('GraphQL operation');
  for (const secret of secrets) {
    expect(answers.filter((answer) => answer.includes(secret))).toEqual([]);
    expect(written.filter((line) => line.includes(secret))).toEqual([]);
  }
  const events = await app.services.db.orm.auditEvent.findMany({
    where: { action: 'captcha_chain.updated' },
  });
  expect(events.some(({ channel }) => channel === 'panel')).toBe(true);
  for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret);
});
