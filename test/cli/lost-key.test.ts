import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createSecondFactors } from '../../src/auth/second-factor/second-factors.service.js';
import { totpCode } from '../../src/auth/second-factor/totp.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../src/services.js';
import { signingSecrets, WITH_FORMER_SECRETS } from '../../src/webhooks/signing.js';
import { commandEnv, startTestApp, type TestApp, testConfig } from '../support/app.js';
import { PROVIDER_SETTINGS } from '../support/captcha-providers.js';
import { createToken, provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { runFormgate } from '../support/formgate.js';
import { createAccount, loggedIn, panelClient } from '../support/panel.js';

const PASSWORD = 'correct horse battery';
const STAFF = 'staff@agency.test';
const CHAIN = [{ key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }];

/** The installation, whose processes have another key than the one under which everything in it is encrypted. */
let app: TestApp;
let former: Services;
let ids: {
  website: string;
  chained: string;
  step: number;
  webhook: string;
  app: string | number;
  receipt: string;
};
let recoveryCode: string;
let token: string;
let client: pg.Client;

const formgate = (...args: string[]) => runFormgate(args, commandEnv(app)).finished;

/** Provisions a team with the secret of its captcha, as an operator does with a document. */
const provisionWith = (services: Services) =>
  provision(services, [
    team('acme', { websites: [website('www.acme.test'), website('chain.acme.test', { captcha: CHAIN })] }),
  ]);

const findWebhook = () =>
  app.services.db.orm.webhook.findUniqueOrThrow({ where: { id: ids.webhook }, include: WITH_FORMER_SECRETS });

/** Carries out a statement of the guide. */
async function guided(statement: string): Promise<void> {
  expect(readFileSync('docs/operations.md', 'utf8').replace(/\s+/g, ' ')).toContain(`\`${statement}\``);
  await client.query(statement);
}

/** Sends a lead with a token, as an integrator's server does. */
async function submit(): Promise<number> {
  const response = await fetch(`${app.url}/api/websites/${ids.website}/forms/contact/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'v@x.test' }),
  });
  return response.status;
}

beforeAll(async () => {
  app = await startTestApp();
  const APP_KEY = Buffer.alloc(32, 1).toString('base64');
  former = createServices(testConfig({ ...commandEnv(app), APP_KEY }), createLogger('silent'));
  await former.appKeyCheck.verify();
  await provisionWith(former);
  token = await createToken(former, 'acme', 'owner@acme.test');
  const { id: teamId } = await former.db.orm.team.findFirstOrThrow();
  const settings = { url: 'https://hooks.acme.test/', events: ['form.changed' as const], websiteIds: [] };
  const webhook = await former.webhooks.create(
    teamId,
    { ...settings, formIds: [], description: '', enabled: true },
    TEST_ACTOR,
  );
  const userId = await createAccount(former, { email: STAFF, password: PASSWORD, staff: true });
  const { db, cipher, clock } = former;
  const factors = createSecondFactors({ db, cipher, clock });
  const { secret } = await factors.start({ userId, email: STAFF });
  const code = totpCode(secret, clock());
  const confirmed = await db.orm.$transaction((tx) => factors.confirmWithin(tx, userId, code, TEST_ACTOR));
  recoveryCode = confirmed![0]!;
  ids = {
    website: await websiteId(former, 'www.acme.test'),
    chained: await websiteId(former, 'chain.acme.test'),
    step: (await former.db.orm.captchaStep.findFirstOrThrow()).id,
    webhook: webhook.id,
    app: (await former.db.orm.secondFactor.findFirstOrThrow()).id,
    receipt: (await former.erasures.erase(teamId, 'gone@x.test', TEST_ACTOR)).id,
  };
  client = new pg.Client(app.database.url);
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await former?.close();
  await app.close();
});

test('an installation goes on under another key when APP_KEY is lost, as the guide says', async () => {
  expect(await formgate('migrate')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^APP_KEY is not/),
  });
  await guided('DELETE FROM key_checks');
  expect(await formgate('migrate')).toMatchObject({ code: 0, stderr: '' });

  const { code, stderr } = await formgate('rekey');
  expect({ code, lost: stderr.trimEnd().split('\n  ').slice(1) }).toEqual({
    code: 1,
    lost: [
      ...[ids.website, ids.chained].sort().map((id) => `signature key of website ${id}`),
      `secret of captcha step ${ids.step}`,
      `secret of webhook ${ids.webhook}`,
      `key of erasure receipt ${ids.receipt}`,
      `authenticator app ${ids.app}`,
    ],
  });

  // A website without a key is away, for visitors and integrators.
  expect(await submit()).toBe(500);
  const staff = await loggedIn(app.url, app.services, STAFF);
  const regenerate = 'mutation ($id: ID!) { regenerateSignatureKey(websiteId: $id) }';
  for (const id of [ids.website, ids.chained]) await staff.ask(regenerate, { id });
  expect(await submit()).toBe(200);

  // A document names the captcha's secret again.
  await provisionWith(app.services);

  // The unreadable secret of before the rotation would still have to sign.
  const listed = (await app.services.webhooks.find(ids.webhook))!;
  const secret = await app.services.webhooks.rotateSecret(listed, TEST_ACTOR);
  const before = await findWebhook();
  expect(() => signingSecrets(app.services.cipher, before, new Date())).toThrow();
  await guided('UPDATE webhooks SET previous_cipher = NULL, previous_until = NULL');
  await guided('DELETE FROM webhook_former_secrets');
  expect(signingSecrets(app.services.cipher, await findWebhook(), new Date())).toEqual([secret]);

  // Recovery codes are hashes, and log in.
  const browser = panelClient(app.url);
  const login =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
  await browser.ask(login, { email: STAFF, password: PASSWORD });
  await browser.ask('mutation ($code: String!) { confirmLogin(code: $code) }', { code: recoveryCode });
  expect(await formgate('user', 'reset', STAFF, '--second-factor')).toMatchObject({ code: 0, stderr: '' });

  const left = await formgate('rekey');
  expect({ code: left.code, lost: left.stderr.trimEnd().split('\n  ').slice(1) }).toEqual({
    code: 1,
    lost: [`key of erasure receipt ${ids.receipt}`],
  });
}, 120_000);
