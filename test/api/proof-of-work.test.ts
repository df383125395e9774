import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { purgeProofs } from '../../src/captcha/proofs.js';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { payloadOf, solve, solveNumber } from '../support/solve.js';
import { createVisitor } from '../support/visitor.js';

const PLAIN = 'plain.acme.test';
const OWN = 'own.acme.test';
const APP_KEY = Buffer.alloc(32, 7).toString('base64');
const GENEROUS = { submissions_per_minute: 100_000, submissions_per_hour: 100_000 };

let app: TestApp;
let token: string;
const sites = new Map<string, string>();
let aheadMs = 0;

beforeAll(async () => {
  app = await startTestApp({
    clock: () => new Date(Date.now() + aheadMs),
    env: { ALTCHA_MAX_NUMBER: '1000', TRUST_PROXY: 'loopback' },
  });
  const websites = [website(PLAIN), website(OWN, { captcha: [{ key: 'altcha:own' }] })];
  await provision(app.services, [team('acme', { websites })], GENEROUS);
  for (const host of [PLAIN, OWN]) sites.set(host, await websiteId(app.services, host));
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});
afterAll(() => app.close());

/** Asks for a challenge; each from another address, as the limit per address is another test's business. */
async function askFor(host: string, { url = app.url, method = 'GET' } = {}): Promise<Response> {
  const address = `198.51.100.${Math.floor(Math.random() * 250)}`;
  const site = sites.get(host)!;
  const response = await fetch(`${url}/api/websites/${site}/captcha/altcha/challenge`, {
    method,
    headers: { origin: `https://${host}`, 'x-forwarded-for': address },
  });
  expect(response.status).toBe(200);
  return response;
}

const draw = async (host: string, url = app.url): Promise<Challenge> =>
  (await (await askFor(host, { url })).json()) as Challenge;

type Options = { url?: string; visitor?: boolean; body?: object; link?: string };

async function submit(host: string, captcha: string | undefined, options: Options = {}) {
  const { url = app.url, visitor = false, body = {}, link } = options;
  const site = sites.get(host)!;
  const origin = `https://${host}`;
  const who: Record<string, string> = visitor
    ? { origin, ...(await createVisitor({ url, websiteId: site, origin }).sign()) }
    : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...who,
      ...(captcha && { 'x-captcha-token': captcha }),
      ...(link && { 'x-captcha-provider': link }),
    },
    body: JSON.stringify({ email: 'v@x.test', ...body }),
  });
  return {
    status: response.status,
    body: (await response.json()) as { error?: string; lead_id: string },
  };
}

const failed = { status: 403, body: { error: 'captcha_failed' } };

test('HEAD gives the headers of a challenge, Content-Length included', async () => {
  const [get, head] = await Promise.all([askFor(PLAIN), askFor(PLAIN, { method: 'HEAD' })]);
  expect(get.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(get.headers.get('content-length')).toBe(String((await get.text()).length));
  for (const name of ['content-type', 'content-length', 'cache-control']) {
    expect(head.headers.get(name)).toBe(get.headers.get(name));
  }
  expect(await head.text()).toBe('');
});

describe('a proof of work', () => {
  test('admits one submission', async () => {
    const proof = solve(await draw(OWN));
    const { status, body } = await submit(OWN, proof);
    expect(status).toBe(200);
    const submission = await app.services.db.orm.submission.findUniqueOrThrow({
      where: { id: body.lead_id },
    });
    expect(submission).toMatchObject({
      captchaKey: 'altcha:own',
      captchaGround: 'first',
      needsReview: false,
    });
    expect(await submit(OWN, proof)).toEqual(failed);
    const rewritten = payloadOf({ ...JSON.parse(Buffer.from(proof, 'base64').toString()), took: 4 });
    expect(await submit(OWN, rewritten)).toEqual(failed);
  });

  test('is not used up by invalid fields', async () => {
    const proof = solve(await draw(OWN));
    expect((await submit(OWN, proof, { body: { email: 'no' } })).status).toBe(422);
    expect((await submit(OWN, proof)).status).toBe(200);
  });

  test('is required of visitors of a website without a chain', async () => {
    expect(await submit(PLAIN, undefined, { visitor: true })).toEqual({
      status: 403,
      body: { error: 'captcha_required' },
    });
    const { status, body } = await submit(PLAIN, solve(await draw(PLAIN)), { visitor: true, link: 'altcha' });
    expect(status).toBe(200);
    const submission = await app.services.db.orm.submission.findUniqueOrThrow({
      where: { id: body.lead_id },
    });
    expect(submission).toMatchObject({ captchaKey: 'altcha', captchaGround: 'first' });
  });

  test('is not required of an integration token for a website without a chain', async () => {
    const { status, body } = await submit(PLAIN, undefined);
    expect(status).toBe(200);
    const submission = await app.services.db.orm.submission.findUniqueOrThrow({
      where: { id: body.lead_id },
    });
    expect(submission).toMatchObject({ captchaKey: null, captchaGround: 'none' });
  });

  test('of another website is refused', async () => {
    expect(await submit(OWN, solve(await draw(PLAIN)))).toEqual(failed);
  });

  test('is valid for ten minutes', async () => {
    const proof = solve(await draw(OWN));
    aheadMs = 601_000;
    expect(await submit(OWN, proof)).toEqual(failed);
    aheadMs = 0;
    expect((await submit(OWN, proof)).status).toBe(200);
  });

  test('whose expiry has been moved into the number is refused', async () => {
    aheadMs = -700_000;
    const challenge = await draw(OWN);
    aheadMs = 0;
    const [, salt, expires] = /^(.*&)(expires=\d+&)$/.exec(challenge.salt)!;
    const number = `${expires}${solveNumber(challenge)}`;
    expect(await submit(OWN, solve(challenge, { salt, number }))).toEqual(failed);
  });

  test('with a number as text, missing or doubled parameters, or altered Base64 is refused', async () => {
    const challenge = await draw(OWN);
    const { salt } = challenge;
    const number = solveNumber(challenge);
    const website = /website=[^&]+&/.exec(salt)![0];
    const expires = /expires=[^&]+&/.exec(salt)![0];
    for (const altered of [
      { number: String(number) },
      { salt: salt.replace(website, '') },
      { salt: salt.replace(expires, '') },
      { salt: salt + website },
      { salt: salt + expires },
      { salt: salt.replace(expires, expires + website) },
      { algorithm: 'SHA-512' },
      { signature: challenge.signature.toUpperCase() },
    ]) {
      expect(await submit(OWN, solve(challenge, altered))).toEqual(failed);
    }
    const proof = solve(challenge);
    for (const altered of [
      `${proof}=`,
      proof.replace(/=*$/, '===='),
      `${proof}AA`,
      proof.slice(1),
      `A${proof}`,
    ]) {
      expect(await submit(OWN, altered)).toEqual(failed);
    }
    expect((await submit(OWN, proof)).status).toBe(200);
  });

  test('stays marked as used until it has expired', async () => {
    const { db, clock } = app.services;
    await submit(OWN, solve(await draw(OWN)));
    const before = await db.orm.usedProof.count();
    expect(await purgeProofs(db, clock())).toBe(0);
    expect(await purgeProofs(db, new Date(Date.now() + 1_201_000))).toBe(before);
    expect(await db.orm.usedProof.count()).toBe(0);
  });
});

describe('200 concurrent presentations of one proof, to two gateways', () => {
  const gateways: Running[] = [];
  const urls: string[] = [];

  beforeAll(async () => {
    for (let i = 0; i < 2; i++) {
      const gateway = runFormgate(['gateway'], {
        DATABASE_URL: app.database.url,
        SMTP_URL: app.sink.url,
        MAIL_FROM: 'forms@formgate.test',
        PUBLIC_URL: 'http://formgate.test',
        PORT: '0',
        APP_KEY,
        ALTCHA_MAX_NUMBER: '1000',
      });
      gateways.push(gateway);
      urls.push((await gateway.printed(/"url":"(http:[^"]+)"/))[1]!);
    }
  });
  afterAll(async () => {
    for (const { child, finished } of gateways) {
      child.kill('SIGTERM');
      await finished;
    }
  });

  test.each([1, 2, 3])('admit exactly one, round %i', async () => {
    const { db } = app.services;
    const before = await db.orm.submission.count();
    const proof = solve(await draw(OWN, urls[0]));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => submit(OWN, proof, { url: urls[i % 2]! })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === 'captcha_failed')).toHaveLength(199);
    expect(await db.orm.submission.count()).toBe(before + 1);
    expect(await db.orm.notification.count()).toBe(await db.orm.submission.count());
  });
});
