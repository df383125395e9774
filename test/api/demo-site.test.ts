import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { type DemoSite, startDemoSite } from '../../src/embedded/demo/demo-site.js';
import { DEMO_WEBSITES } from '../../src/embedded/demo/demo-websites.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { provision } from '../support/factories.js';
import { solve } from '../support/solve.js';
import { createVisitor } from '../support/visitor.js';

let providers: CaptchaProviders;
let site: DemoSite;
let app: TestApp;
/** The two websites' origins. */
let plain: string;
let chain: string;

beforeAll(async () => {
  providers = await startCaptchaProviders();
  site = await startDemoSite({ recaptchaUrl: providers.verifyUrls.recaptcha, port: 0 });
  app = await startTestApp({ env: { RECAPTCHA_VERIFY_URL: site.verifyUrl } });
  await provision(app.services, []);
  const links = { mailPageUrl: 'http://mail.test', isStandInAsked: true };
  plain = new URL((await site.open(app.services, links))!).origin;
  chain = plain.replace('localhost', '127.0.0.1');
  // A second time it changes nothing.
  const { version } = await app.services.db.orm.form.findFirstOrThrow({ where: { slug: 'demo' } });
  await site.open(app.services, links);
  expect((await app.services.db.orm.form.findFirstOrThrow({ where: { slug: 'demo' } })).version).toBe(
    version,
  );
});

afterAll(async () => {
  await app?.close();
  await site?.stop();
  await providers?.stop();
});

const read = async (url: string) => {
  const answer = await fetch(url);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

const FIELDS = { name: 'Ada <b>', email: 'ada@x.test', topic: 'garden', surface: '40', privacy: 1 };

function visitorOf(kind: keyof typeof DEMO_WEBSITES) {
  const origin = kind === 'plain' ? plain : chain;
  return createVisitor({ url: app.url, websiteId: DEMO_WEBSITES[kind], origin });
}

async function submitWith(kind: keyof typeof DEMO_WEBSITES, provider: string, token: string, extra = {}) {
  const visitor = visitorOf(kind);
  const headers = { ...(await visitor.sign()), 'x-captcha-provider': provider, 'x-captcha-token': token };
  return visitor.submit({ slug: 'demo', body: { ...FIELDS, ...extra }, headers });
}

async function proofOf(kind: keyof typeof DEMO_WEBSITES): Promise<string> {
  const { body } = await visitorOf(kind).call('GET', 'captcha/altcha/challenge');
  return solve(body as unknown as Challenge);
}

describe('its pages', () => {
  test('are two websites in two languages, under a strict policy', async () => {
    for (const [origin, id] of [
      [plain, DEMO_WEBSITES.plain],
      [chain, DEMO_WEBSITES.chain],
    ]) {
      for (const language of ['fr', 'en']) {
        const { status, headers, text } = await read(`${origin}/${language}/`);
        expect(status).toBe(200);
        expect(text).toContain(`<html lang="${language}">`);
        expect(text).toContain(`src="http://formgate.test/formgate.js" data-website="${id}"`);
        expect(headers.get('content-security-policy')).toMatch(
          /^default-src 'none'; script-src 'self' http:/,
        );
        expect(headers.get('content-security-policy')).not.toContain('unsafe');
      }
    }
    expect((await read(`${chain}/en/`)).text).toContain('reCAPTCHA is not contacted');
    expect((await read(`${plain}/en/`)).text).not.toContain('stand-in.js');
  });

  test('are served for their own host name only', async () => {
    const { port } = new URL(plain);
    const status = await new Promise((resolve, reject) => {
      request({ port, path: '/arrived', headers: { host: 'evil.test' } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe('a submission from them', () => {
  test('is recorded, and shown as text', async () => {
    const sent = await submitWith('plain', 'altcha', await proofOf('plain'));
    expect(sent).toMatchObject({ status: 200, body: { success: true } });
    const { text } = await read(`${plain}/arrived`);
    expect(text).toContain(String(sent.body.lead_id));
    expect(text).toContain('Ada &lt;b&gt;');
    expect(text).toContain('http://mail.test');
  });

  test('passes the simulated provider once, and falls back when that is down', async () => {
    const token = `works-${randomUUID()}`;
    expect((await submitWith('chain', 'recaptcha_v3:demo', token)).status).toBe(200);
    expect((await submitWith('chain', 'recaptcha_v3:demo', token)).body).toEqual({ error: 'captcha_failed' });
    const { body } = await submitWith('chain', 'recaptcha_v3:demo', `down-${randomUUID()}`);
    expect(body).toMatchObject({ error: 'captcha_fallback', next: 'altcha:own' });
    const replayed = await submitWith('chain', 'altcha:own', await proofOf('chain'), {
      captcha_fallback: body.fallback_token,
    });
    expect(replayed.status).toBe(200);
  });
});

describe('a captcha step that is not the demo’s', () => {
  const verify = (fields: Record<string, string>) =>
    fetch(site.verifyUrl, { method: 'POST', body: new URLSearchParams(fields) });
  const { secret } = PROVIDER_SETTINGS.recaptcha_v3;

  test('is verified by the real provider', async () => {
    const response = providers.issue('recaptcha');
    expect(await (await verify({ secret, response })).json()).toMatchObject({ success: true, score: 0.9 });
    expect(await (await verify({ secret, response: `works-${randomUUID()}` })).json()).toMatchObject({
      success: false,
    });
  });

  test('falls back when that provider fails', async () => {
    providers.behave('recaptcha', 503);
    expect((await verify({ secret, response: 'x' })).status).toBe(503);
    providers.behave('recaptcha', 'reset');
    await expect(verify({ secret, response: 'x' })).rejects.toThrow();
    providers.reset();
  });
});
