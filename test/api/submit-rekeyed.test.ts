import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSignatureKey, signatureKeys } from '../../src/websites/signatures/signature-key.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { PROVIDER_SETTINGS } from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { createVisitor } from '../support/visitor.js';

const HOST = 'www.acme.test';

let app: TestApp;
let site: string;

/** Work that the captcha provider does before it answers, in the middle of a submission. */
let meanwhile: () => Promise<unknown>;

const provider = createServer(async (_, response) => {
  await meanwhile();
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
});

beforeAll(async () => {
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const { port } = provider.address() as AddressInfo;
  app = await startTestApp({ env: { TURNSTILE_VERIFY_URL: `http://127.0.0.1:${port}` } });
  const captcha = [{ key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }];
  await provision(app.services, [team('acme', { websites: [website(HOST, { captcha })] })]);
  site = await websiteId(app.services, HOST);
});
afterAll(async () => {
  await app.close();
  provider.close();
});

/** Stores a signature key of the website: the same one encrypted anew, or another one. */
async function store(change: (key: Uint8Array) => Uint8Array): Promise<void> {
  const { db, cipher } = app.services;
  const stored = await db.orm.website.findUniqueOrThrow({ where: { id: site } });
  const key = change(openSignatureKey(cipher, stored).signatureKey);
  const signatureKeyCipher = cipher.encrypt(Buffer.from(key), signatureKeys.purposeOf({ id: site }));
  await db.orm.website.update({ where: { id: site }, data: { signatureKeyCipher } });
}

async function submit(headers: Record<string, string> = {}) {
  const visitor = createVisitor({ url: app.url, websiteId: site, origin: `https://${HOST}` });
  const signed = await visitor.sign();
  return visitor.submit({ headers: { ...signed, 'x-captcha-token': 'solved', ...headers } });
}

test.each<Record<string, string>>([{}, { 'idempotency-key': 'once' }])(
  'a submission is recorded once when its signature key is encrypted anew in its middle, with headers %j',
  async (headers) => {
    const before = await app.services.db.orm.submission.count();
    meanwhile = () => store((key) => key);
    expect(await submit(headers)).toMatchObject({ status: 200 });
    expect(await app.services.db.orm.submission.count()).toBe(before + 1);
  },
);

test('a submission is refused when its signature key is replaced in its middle', async () => {
  const before = await app.services.db.orm.submission.count();
  meanwhile = () => store((key) => key.map((byte) => byte ^ 1));
  expect(await submit()).toMatchObject({ status: 403, body: { error: 'invalid_signature' } });
  expect(await app.services.db.orm.submission.count()).toBe(before);
});
