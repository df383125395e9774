import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createApp } from '../../src/app.js';
import { serveHttp } from '../../src/http/server/serve.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { captchaVerdicts } from '../../src/lib/telemetry/metrics.js';
import { createServices } from '../../src/services.js';
import { purgeKeys } from '../../src/submissions/submit/idempotency.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { isRecordWaiting } from '../support/locks.js';
import { createVisitor, type Visitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const START = new Date('2026-11-21T12:00:00Z');
const HOUR_MS = 3_600_000;

let now: Date;
let app: TestApp;
let visitor: Visitor;
let neighbour: Visitor;
let guarded: Visitor;
let bearer: Record<string, string>;
let otherBearer: Record<string, string>;

beforeAll(async () => {
  app = await startTestApp({ clock: () => now, env: { ALTCHA_MAX_NUMBER: '1000', CAPTCHA_DEFAULT: 'off' } });
  await provision(app.services, [
    team('acme', {
      forms: [contactForm(), contactForm({ slug: 'quote' })],
      websites: [
        website('www.acme.test', { forms: [{ slug: 'contact' }, { slug: 'quote' }] }),
        website('shop.acme.test'),
        website('guarded.acme.test', { captcha: [{ key: 'altcha:own' }] }),
      ],
    }),
  ]);
  now = START;
  bearer = { authorization: `Bearer ${await createToken(app.services, 'acme', 'owner@acme.test')}` };
  otherBearer = { authorization: `Bearer ${await createToken(app.services, 'acme', 'admin@acme.test')}` };
  const at = async (host: string) =>
    createVisitor({
      url: app.url,
      websiteId: await websiteId(app.services, host),
      origin: `https://${host}`,
    });
  visitor = await at('www.acme.test');
  neighbour = await at('shop.acme.test');
  guarded = await at('guarded.acme.test');
});

afterAll(() => app.close());

beforeEach(() => {
  now = START;
});

const count = () => app.services.db.orm.submission.count();

const send = (
  key: string,
  { page = visitor, body = { email: 'v@x.test' } as unknown, slug = 'contact' } = {},
) => page.submit({ slug, body, headers: { ...bearer, 'idempotency-key': key } });

describe('an idempotency key', () => {
  test('answers the first result again and records nothing', async () => {
    const first = await send('a');
    const before = await count();
    const again = await send('a');
    expect(first.status).toBe(200);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await count()).toBe(before);
  });

  test('belongs to one website and one form', async () => {
    const answers = await Promise.all([
      send('b'),
      send('b', { page: neighbour }),
      send('b', { slug: 'quote' }),
    ]);
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(3);
  });

  test('belongs to one token, or to the visitors', async () => {
    const body = { email: 'v@x.test' };
    const senders = [bearer, otherBearer, { ...(await visitor.sign()), authorization: undefined }];
    const submit = (sender: Record<string, string | undefined>) =>
      visitor.submit({ body, headers: { ...sender, 'idempotency-key': 'apart' } });
    const first = await Promise.all(senders.map(submit));
    expect(new Set(first.map(({ body: { lead_id } }) => lead_id)).size).toBe(3);
    const again = await Promise.all(senders.map(submit));
    expect(again.map(({ body: answer }) => answer)).toEqual(first.map(({ body: answer }) => answer));
  });

  test('may have 255 characters, with a token and without', async () => {
    const headers = { 'idempotency-key': 'y'.repeat(255) };
    expect(await visitor.submit({ headers: { ...bearer, ...headers } })).toMatchObject({ status: 200 });
    expect(await visitor.submit({ headers: { ...(await visitor.sign()), ...headers } })).toMatchObject({
      status: 200,
    });
  });

  test('stays unused after a refused submission', async () => {
    expect(await send('c', { body: {} })).toMatchObject({ status: 422 });
    expect(await send('c')).toMatchObject({ status: 200 });
  });

  test('is compared by the values of the body, whatever its spacing and fallback token', async () => {
    const first = await send('d', { body: '{"email":"v@x.test","captcha_fallback":"one"}' });
    const spaced = await send('d', { body: '{ "email": "v@x.test" }' });
    expect(spaced.body).toEqual(first.body);
  });

  test('with another number beyond the precision of a double is another body', async () => {
    const body = (number: string) => `{"email":"v@x.test","order":${number}}`;
    const first = await send('numbers', { body: body('9007199254740993') });
    expect((await send('numbers', { body: body('9007199254740993') })).body).toEqual(first.body);
    expect(await send('numbers', { body: body('9007199254740992') })).toMatchObject({ status: 422 });
  });

  test('expires after 24 hours', async () => {
    const first = await send('e');
    now = new Date(START.getTime() + 24 * HOUR_MS - 1);
    expect((await send('e')).body).toEqual(first.body);
    now = new Date(START.getTime() + 24 * HOUR_MS);
    const next = await send('e', { body: { email: 'other@x.test' } });
    expect(next.status).toBe(200);
    expect(next.body.lead_id).not.toBe(first.body.lead_id);
    expect((await send('e', { body: { email: 'other@x.test' } })).body).toEqual(next.body);
  });

  test('is answered to a page without a fresh captcha', async () => {
    const { body: challenge } = await guarded.call('GET', 'captcha/altcha/challenge');
    const captcha = { 'x-captcha-provider': 'altcha:own', 'x-captcha-token': solve(challenge) };
    const headers = { ...(await guarded.sign()), ...captcha, 'idempotency-key': 'page' };
    const first = await guarded.submit({ headers });
    expect(first.status).toBe(200);
    const again = await guarded.submit({ headers });
    expect(again).toMatchObject({ status: 200, body: first.body });
    const other = await guarded.submit({ headers: { ...headers, 'idempotency-key': 'other' } });
    expect(other).toMatchObject({ status: 403, body: { error: 'captcha_failed' } });
  });
});

describe('an idempotency key is refused', () => {
  test('with another body', async () => {
    await send('f');
    const before = await count();
    expect(await send('f', { body: { email: 'other@x.test' } })).toMatchObject({
      status: 422,
      body: { errors: { 'Idempotency-Key': [expect.any(String)] } },
    });
    expect(await count()).toBe(before);
  });

  test.each([
    ['an empty key', ''],
    ['256 characters', 'x'.repeat(256)],
    ['characters beyond ASCII', 'é'],
    ['a tab', 'a\tb'],
  ])('%s', async (_case, key) => {
    expect(await send(key)).toMatchObject({
      status: 422,
      body: { errors: { 'Idempotency-Key': [expect.any(String)] } },
    });
  });

  test('while 255 characters are accepted', async () => {
    expect(await send('x'.repeat(255))).toMatchObject({ status: 200 });
  });
});

describe('concurrent requests of a key', () => {
  test('record one of fifty, and all get its answer', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('g')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
    expect(await app.services.db.orm.notification.count()).toBe(await count());
  });

  test('with one proof of work record one of fifty, and all get its answer', async () => {
    const { body: challenge } = await guarded.call('GET', 'captcha/altcha/challenge');
    const captcha = { 'x-captcha-provider': 'altcha:own', 'x-captcha-token': solve(challenge) };
    const headers = { ...(await guarded.sign()), ...captcha, 'idempotency-key': 'race' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => guarded.submit({ headers })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
  });

  test('with two bodies record one and refuse the other', async () => {
    const [one, two] = await Promise.all([send('h'), send('h', { body: { email: 'other@x.test' } })]);
    expect([one.status, two.status].sort()).toEqual([200, 422]);
  });

  test('with two bodies and two proofs leave the proof of the refused one unused', async () => {
    const proofs = await Promise.all(
      [1, 2].map(async () => solve((await guarded.call('GET', 'captcha/altcha/challenge')).body)),
    );
    const signed = await guarded.sign();
    const headersOf = (proof: string | undefined) => ({
      ...signed,
      'x-captcha-provider': 'altcha:own',
      'x-captcha-token': proof ?? '',
    });
    const answers = await Promise.all(
      proofs.map((proof, index) =>
        guarded.submit({
          headers: { ...headersOf(proof), 'idempotency-key': 'two-proofs' },
          body: { email: `v${index}@x.test` },
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const refused = proofs[answers.findIndex(({ status }) => status === 422)];
    expect(await guarded.submit({ headers: headersOf(refused) })).toMatchObject({ status: 200 });
  });

  test('of two gateways count no refused captcha for the one whose answer is repeated', async () => {
    const other = createServices(app.services.config, createLogger('silent'), { clock: () => now });
    const panel = { handler: () => undefined, close: async () => undefined };
    const gateway = await serveHttp(createApp(other, panel), {
      ...app.services.config.http,
      setting: 'PORT',
    });
    const refusals = async () => {
      const { values } = await captchaVerdicts.get();
      return values.filter(({ labels }) => labels.verdict === 'refused').map(({ value }) => value);
    };
    const before = await refusals();
    const id = await websiteId(app.services, 'guarded.acme.test');
    const guards = [app.url, gateway.url].map((url) =>
      createVisitor({ url, websiteId: id, origin: 'https://guarded.acme.test' }),
    );
    const answers = await app.services.db.orm.$transaction(async (tx) => {
      // Both look for the key first, and wait with their statement.
      await tx.$executeRaw`LOCK TABLE idempotency_keys IN SHARE MODE`;
      const sending = guards.map(async (page) => {
        const { body: challenge } = await page.call('GET', 'captcha/altcha/challenge');
        const captcha = { 'x-captcha-provider': 'altcha:own', 'x-captcha-token': solve(challenge) };
        return page.submit({ headers: { ...(await page.sign()), ...captcha, 'idempotency-key': 'twice' } });
      });
      await eventually(() => isRecordWaiting(app.database, 2));
      return sending;
    });
    const answered = await Promise.all(answers);
    await gateway.close();
    await other.close();
    expect(answered.map(({ status }) => status)).toEqual([200, 200]);
    expect(answered[1]!.body.lead_id).toBe(answered[0]!.body.lead_id);
    expect(await refusals()).toEqual(before);
  });

  test('give no answer without the right to submit', async () => {
    await send('i');
    expect(await visitor.submit({ headers: { 'idempotency-key': 'i' } })).toMatchObject({ status: 403 });
  });

  test('with an expired key record one submission', async () => {
    await send('j');
    now = new Date(START.getTime() + 25 * HOUR_MS);
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('j')));
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  test('with a body too deep to be recorded use up no key', async () => {
    const deep = `{"email":"v@x.test","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await send('k', { body: deep })).toMatchObject({ status: 422 });
    expect(await send('k')).toMatchObject({ status: 200 });
  });

  test('expired keys are purged, the others are not', async () => {
    await send('l');
    const later = new Date(START.getTime() + 23 * HOUR_MS);
    now = later;
    await send('m');
    await purgeKeys(app.services.db, new Date(START.getTime() + 24 * HOUR_MS));
    const kept = await app.services.db.orm.idempotencyKey.findMany({
      where: { OR: [{ key: { endsWith: '\tl' } }, { key: { endsWith: '\tm' } }] },
    });
    expect(kept.map(({ key }) => key.split('\t')[1])).toEqual(['m']);
  });
});

/** Finds the number of a challenge by trying, as the widget does. */
function solve({ algorithm, challenge, salt, signature, maxnumber }: Record<string, unknown>): string {
  for (let number = 0; number <= Number(maxnumber); number++) {
    if (createHash('sha256').update(`${salt}${number}`).digest('hex') === challenge) {
      return Buffer.from(JSON.stringify({ algorithm, challenge, salt, signature, number })).toString(
        'base64',
      );
    }
  }
  throw new Error('No number solves the challenge.');
}
