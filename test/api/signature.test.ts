import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { regenerateSignatureKey } from '../../src/websites/editing/save-website.js';
import { openSignatureKey } from '../../src/websites/signatures/signature-key.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { createVisitor, type Visitor } from '../support/visitor.js';

const START = new Date('2026-11-21T12:00:00.400Z');
const START_S = START.getTime() / 1000 - 0.4;

let now: Date;
let app: TestApp;
let site: string;
let visitor: Visitor;
let neighbour: Visitor;
let suspended: Visitor;

const visitorOf = async (host: string) =>
  createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });

beforeAll(async () => {
  app = await startTestApp({ clock: () => now, env: { CAPTCHA_DEFAULT: 'off' } });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('shop.acme.test')] }),
    team('late', { active: false }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  [visitor, neighbour, suspended] = await Promise.all([
    visitorOf('www.acme.test'),
    visitorOf('shop.acme.test'),
    visitorOf('www.late.test'),
  ]);
});

afterAll(() => app.close());

beforeEach(() => {
  now = START;
});

const later = (seconds: number) => {
  now = new Date(START.getTime() + seconds * 1000);
};

describe('the signature endpoint', () => {
  test('answers a signature with its timestamp and lifetime, not to be cached', async () => {
    const { status, headers, body } = await visitor.call('GET', 'signature');
    expect(status).toBe(200);
    expect(body).toEqual({
      signature: expect.stringMatching(/^[\w-]{43}$/),
      timestamp: START_S,
      expires_in: 600,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe('https://www.acme.test');
    expect(headers.get('ratelimit-policy')).toBe('"signature";q=60;w=60');
  });

  test('gives a signature for any number of submissions until it expires', async () => {
    const headers = await visitor.sign();
    for (const seconds of [0, 0, 300, 599]) {
      later(seconds);
      expect(await visitor.submit({ headers })).toMatchObject({ status: 200 });
    }
    later(600);
    expect(await visitor.submit({ headers })).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    });
  });

  test('gives a signature that a gateway accepts whose clock is 30 s behind, and not further', async () => {
    const headers = await visitor.sign();
    later(-30);
    expect(await visitor.submit({ headers })).toMatchObject({ status: 200 });
    later(-31);
    expect(await visitor.submit({ headers })).toMatchObject({ status: 403 });
  });
});

describe('the signature is refused', () => {
  test('to another origin, and without one', async () => {
    for (const origin of ['https://evil.test', 'null', undefined]) {
      const answer = await visitor.call('GET', 'signature', { headers: { origin } });
      expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('for an unknown website, and one of a suspended team', async () => {
    const unknown = createVisitor({ url: app.url, websiteId: 'nope', origin: 'https://www.acme.test' });
    const notFound = await unknown.call('GET', 'signature');
    expect(notFound).toMatchObject({ status: 404, body: { message: 'Website not found.' } });
    const disabled = await suspended.call('GET', 'signature');
    expect(disabled).toMatchObject({ status: 403, body: { message: 'This website is disabled.' } });
    for (const { headers } of [notFound, disabled]) expect(headers.get('cache-control')).toBe('no-store');
  });

  test('on another website, tampered with, and incomplete', async () => {
    const headers = await visitor.sign();
    const { 'x-website-signature': signature = '', 'x-website-timestamp': timestamp } = headers;
    const refused = { status: 403, body: { error: 'invalid_signature' } };
    expect(await neighbour.submit({ headers })).toMatchObject(refused);
    for (const tampered of [
      { 'x-website-signature': `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}` },
      { 'x-website-signature': undefined },
      { 'x-website-timestamp': undefined },
      { 'x-website-timestamp': String(Number(timestamp) + 1) },
    ]) {
      expect(await visitor.submit({ headers: { ...headers, ...tampered } })).toMatchObject(refused);
    }
  });

  test('from another origin', async () => {
    const headers = { ...(await visitor.sign()), origin: 'https://evil.test' };
    expect(await visitor.submit({ headers })).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    });
  });
});

describe('the signature key', () => {
  test('ends its signatures when it is regenerated, with an audit event', async () => {
    const headers = await visitor.sign();
    expect(await visitor.submit({ headers })).toMatchObject({ status: 200 });
    const { cipher, db } = app.services;
    const { teamId } = await db.orm.website.findUniqueOrThrow({ where: { id: site } });
    await db.orm.$transaction((tx) =>
      regenerateSignatureKey({ tx, cipher }, { id: site, teamId }, TEST_ACTOR),
    );
    expect(await visitor.submit({ headers })).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    });
    expect(await visitor.submit({ headers: await visitor.sign() })).toMatchObject({ status: 200 });
    expect(
      await db.orm.auditEvent.findFirst({ where: { action: 'website.signature_key_regenerated' } }),
    ).toMatchObject({ teamId, subjectType: 'website', subjectId: site });
  });

  test('is checked against the database when a gateway has the former key in its cache', async () => {
    const { cipher, db, signatures } = app.services;
    const stored = () => db.orm.website.findUniqueOrThrow({ where: { id: site } });
    const inMemory = async () => ({ id: site, ...openSignatureKey(cipher, await stored()) });
    const [{ teamId }, before] = [await stored(), await inMemory()];
    const given = async () => {
      const { signature, timestamp } = await signatures.issue(site);
      return { signature, timestamp: String(timestamp) };
    };
    const [old, refusal] = [await given(), { status: 403, body: { error: 'invalid_signature' } }];
    await db.orm.$transaction((tx) =>
      regenerateSignatureKey({ tx, cipher }, { id: site, teamId }, TEST_ACTOR),
    );
    const after = await inMemory();
    expect(await signatures.verify(before, await given())).toMatchObject({
      storedSignatureKey: after.storedSignatureKey,
    });
    const { storedSignatureKey: key } = await signatures.verify(before, old);
    await expect(signatures.requireCurrent(site, key)).rejects.toMatchObject(refusal);
    await expect(signatures.verify(after, old)).rejects.toMatchObject(refusal);
  });

  test('is in no answer', async () => {
    const { body } = await visitor.call('GET', 'signature');
    expect(Object.keys(body)).toEqual(['signature', 'timestamp', 'expires_in']);
  });
});
