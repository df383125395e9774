import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';

const TOO_LARGE = 'x'.repeat(300_000);
const WITHIN_LIMIT = 40;

let app: TestApp;
let site: string;
let full: string;
let off: string;
let foreign: string;
let token: string;
let readOnly: string;
let signature: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp();
  const { services } = app;
  const websites = [
    website('www.acme.test'),
    website('full.acme.test'),
    website('off.acme.test', { disabled: true }),
  ];
  await provision(services, [team('acme', { websites }), team('other')], {
    submissions_per_minute: WITHIN_LIMIT,
  });
  [site, full, off, foreign] = (await Promise.all(
    ['www.acme.test', 'full.acme.test', 'off.acme.test', 'www.other.test'].map((host) =>
      websiteId(services, host),
    ),
  )) as [string, string, string, string];
  token = await createToken(services, 'acme', 'owner@acme.test');
  readOnly = await createToken(services, 'acme', 'owner@acme.test', { abilities: ['team:read'] });
  const signed = await fetch(`${app.url}/api/websites/${site}/signature`, {
    headers: { origin: 'https://www.acme.test' },
  });
  const { signature: value, timestamp } = (await signed.json()) as Record<string, string>;
  signature = { 'x-website-signature': value!, 'x-website-timestamp': String(timestamp) };
  for (let sent = 0; sent < WITHIN_LIMIT; sent++) await submit({ id: full });
});

afterAll(() => app.close());

type Sent = { id?: string; slug?: string; headers?: Record<string, string>; body?: string };

/** Submits, by default with everything wrong that can be: the body, the origin, the signature, the form. */
async function submit({ id = site, slug = 'nope', headers = {}, body = '{' }: Sent = {}): Promise<string> {
  const response = await fetch(`${app.url}/api/websites/${id}/forms/${slug}/submit`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'idempotency-key': 'é', ...headers },
    body,
  });
  const { error, message, errors } = (await response.json()) as Record<string, string>;
  return [response.status, error ?? message, ...Object.keys(errors ?? {})].join(' ');
}

test('a visitor’s submission with several faults gets the first error in the guide’s order', async () => {
  const steps: [Sent, string][] = [
    [{ id: 'x', body: TOO_LARGE }, '413 payload_too_large'],
    [{ id: 'x' }, '404 Website not found.'],
    [{ id: full, headers: { authorization: 'x' } }, '429 Too many requests.'],
    [{ id: off, headers: { authorization: 'x' } }, '403 This website is disabled.'],
    [{}, '403 origin_not_allowed'],
    [{ headers: { origin: 'https://www.acme.test' } }, '403 invalid_signature'],
  ];
  const headers = { origin: 'https://www.acme.test', ...signature };
  const json = { ...headers, 'content-type': 'application/json' };
  const keyed = { ...json, 'idempotency-key': 'k' };
  const provider = { 'x-captcha-provider': 'hcaptcha:none' };
  steps.push(
    [{ headers }, '415 The Content-Type must be application/json.'],
    [{ headers: json, body: '' }, '400 The body is empty, not a JSON object.'],
    [{ headers: json, body: '[]' }, '422 The given data was invalid. body'],
    [{ headers: json, body: '{}' }, '404 Form not found.'],
    [{ headers: json, body: '{}', slug: 'contact' }, '422 The given data was invalid. Idempotency-Key'],
    [{ headers: { ...keyed, ...provider }, body: '{}', slug: 'contact' }, '403 captcha_required'],
    [
      {
        headers: { ...keyed, ...provider, 'x-captcha-token': 'x'.repeat(4097) },
        body: '{}',
        slug: 'contact',
      },
      '403 captcha_failed',
    ],
    [
      { headers: { ...keyed, ...provider, 'x-captcha-token': 'x' }, body: '{}', slug: 'contact' },
      '403 captcha_provider_not_allowed',
    ],
    [{ headers: { ...keyed, 'x-captcha-token': 'x' }, body: '{}', slug: 'contact' }, '403 captcha_failed'],
  );
  for (const [sent, answer] of steps) expect(await submit(sent)).toBe(answer);
});

test('an Authorization header makes the sender an integration, whose origin and signature are ignored', async () => {
  const origin = { origin: 'https://www.acme.test', ...signature };
  const json = { origin: 'https://evil.test', 'content-type': 'application/json', 'idempotency-key': 'k' };
  const bearer = { authorization: `Bearer ${token}` };
  const steps: [Sent, string][] = [
    [{ headers: { ...origin, authorization: '' } }, '401 Unauthenticated.'],
    [{ headers: { ...origin, authorization: 'Basic x' } }, '401 Unauthenticated.'],
    [{ headers: { ...origin, authorization: 'Bearer 1|x' } }, '401 Unauthenticated.'],
    [{ id: foreign, headers: bearer }, '403 This token does not grant access to this website.'],
    [{ headers: { authorization: `Bearer ${readOnly}` } }, '403 This token lacks the ability team:submit.'],
    [{ headers: bearer }, '415 The Content-Type must be application/json.'],
    [{ headers: { ...json, ...bearer }, body: '{}' }, '404 Form not found.'],
  ];
  for (const [sent, answer] of steps) expect(await submit(sent)).toBe(answer);
  const sent = { headers: { ...json, ...bearer }, body: '{"email":"v@x.test"}', slug: 'contact' };
  expect(await submit(sent)).toMatch(/^200 /);
});

test('a call of the token endpoints with several faults gets the first error in the guide’s order', async () => {
  const post = async (headers: Record<string, string>, body: string) => {
    const response = await fetch(`${app.url}/api/tokens`, { method: 'POST', headers, body });
    const answer = (await response.json()) as Record<string, unknown>;
    return [response.status, answer.error ?? answer.message].join(' ');
  };
  const member = await createToken(app.services, 'other', 'owner@other.test');
  await app.services.db.orm.membership.updateMany({
    where: { user: { email: 'owner@other.test' } },
    data: { role: 'member' },
  });
  const bearer = { authorization: `Bearer ${token}`, 'content-type': 'text/plain' };
  const json = { ...bearer, 'content-type': 'application/json' };
  expect(await post({}, TOO_LARGE)).toBe('401 Unauthenticated.');
  expect(await post({ authorization: `Bearer ${member}` }, TOO_LARGE)).toMatch(/^403 Tokens are reserved/);
  expect(await post(bearer, TOO_LARGE)).toBe('413 payload_too_large');
  expect(await post(bearer, '{')).toBe('415 The Content-Type must be application/json.');
  expect(await post(json, '{')).toMatch(/^400 The body is not well-formed JSON: .* at position 1/);
  expect(await post(json, '{"team_id": 999}')).toMatch(/^403 A token can only create/);
  expect(await post(json, '{}')).toBe('422 The given data was invalid.');
});

test('a call of a page with several faults gets the first error in the guide’s order', async () => {
  const get = async (id: string, path: string) => {
    const response = await fetch(`${app.url}/api/websites/${id}/${path}`);
    const answer = (await response.json()) as Record<string, unknown>;
    return [response.status, answer.error ?? answer.message].join(' ');
  };
  for (const path of ['signature', 'forms/config', 'captcha', 'captcha/altcha/challenge']) {
    expect(await get('x', path)).toBe('404 Website not found.');
    expect(await get(off, path)).toBe('403 This website is disabled.');
    expect(await get(site, path)).toBe('403 origin_not_allowed');
  }
  for (let asked = 0; asked < 60; asked++) await get(site, 'signature');
  expect(await get('x', 'signature')).toBe('404 Website not found.');
  expect(await get(off, 'signature')).toBe('429 Too many requests.');
});
