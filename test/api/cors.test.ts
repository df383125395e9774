import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { type Answer, createVisitor, type Visitor } from '../support/visitor.js';

const ORIGIN = 'https://www.acme.test';

let app: TestApp;
let visitor: Visitor;
let disabled: Visitor;
let other: Visitor;

beforeAll(async () => {
  app = await startTestApp();
  await provision(
    app.services,
    [
      team('acme', {
        websites: ['www', 'other', 'off'].map((name) =>
          website(`${name}.acme.test`, { disabled: name === 'off' }),
        ),
      }),
    ],
    { submissions_per_minute: 8 },
  );
  const at = async (host: string) =>
    createVisitor({
      url: app.url,
      websiteId: await websiteId(app.services, host),
      origin: `https://${host}`,
    });
  visitor = await at('www.acme.test');
  disabled = await at('off.acme.test');
  other = await at('other.acme.test');
});

afterAll(() => app.close());

/** The CORS headers of an answer, and whether a cache keeps its answers apart by the origin. */
const corsOf = ({ headers }: Answer) => ({
  ...Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-'))),
  varies: headers.get('vary')?.includes('Origin') ?? false,
});

const readableTo = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers':
    'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Form-Versions, X-Request-Id',
  varies: true,
});

const UNREADABLE = { varies: true };

const preflight = (origin: string | undefined) =>
  visitor.call('OPTIONS', 'forms/contact/submit', {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-website-signature',
    },
  });

describe('a page of the website', () => {
  test('gets its preflight answered', async () => {
    const answer = await preflight(ORIGIN);
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      ...readableTo(ORIGIN),
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-max-age': '7200',
      'access-control-allow-headers':
        'Authorization, Content-Type, Idempotency-Key, If-None-Match, Traceparent, Tracestate, ' +
        'X-Captcha-Provider, X-Captcha-Token, X-Request-Id, X-Website-Signature, X-Website-Timestamp',
    });
  });

  test('may percent-encode the website’s id', async () => {
    const id = await websiteId(app.services, 'www.acme.test');
    const encoded = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
    const answer = await createVisitor({ url: app.url, origin: ORIGIN, websiteId: encoded }).call(
      'GET',
      'signature',
    );
    expect(answer.status).toBe(200);
    expect(corsOf(answer)).toEqual(readableTo(ORIGIN));
  });

  test('can read every answer, errors included', async () => {
    const token = await createToken(app.services, 'acme', 'owner@acme.test');
    const bearer = { authorization: `Bearer ${token}` };
    const answers: [number, Answer][] = [
      [200, await visitor.call('GET', 'signature')],
      [200, await visitor.submit({ headers: bearer })],
      [400, await visitor.submit({ headers: bearer, body: '{' })],
      [401, await visitor.submit({ headers: { authorization: 'Bearer 1|x' } })],
      [403, await visitor.submit()],
      [404, await visitor.submit({ headers: bearer, slug: 'nope' })],
      [404, await visitor.call('GET', 'nothing')],
      [413, await visitor.submit({ body: 'x'.repeat(300_000) })],
      [415, await visitor.submit({ headers: { ...bearer, 'content-type': 'text/plain' }, body: '{}' })],
      [415, await visitor.submit({ headers: { ...bearer, 'content-encoding': 'zip' }, body: '{}' })],
      [422, await visitor.submit({ headers: bearer, body: {} })],
    ];
    for (const [status, answer] of answers) {
      expect(answer.status).toBe(status);
      expect(corsOf(answer)).toEqual(readableTo(ORIGIN));
    }
    const refused = await visitor.submit({ headers: bearer });
    const last = refused.status === 429 ? refused : await visitor.submit({ headers: bearer });
    expect(last.status).toBe(429);
    expect(corsOf(last)).toEqual(readableTo(ORIGIN));
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(last.headers.get('ratelimit')).toMatch(/^"api-submit";r=0;t=\d+$/);
  });

  test('can read that a captcha token of 24,000 characters is refused', async () => {
    const headers = { ...(await other.sign()), 'x-captcha-token': 'x'.repeat(24_000) };
    const answer = await other.submit({ headers });
    expect(answer).toMatchObject({ status: 403, body: { error: 'captcha_failed' } });
    expect(corsOf(answer)).toEqual(readableTo('https://other.acme.test'));
  });

  test('can read that its website is disabled', async () => {
    const answer = await disabled.submit();
    expect(answer).toMatchObject({ status: 403, body: { message: 'This website is disabled.' } });
    expect(corsOf(answer)).toEqual(readableTo('https://off.acme.test'));
  });
});

describe('CORS headers are not sent', () => {
  test.each([['https://evil.test'], ['null'], ['https://off.acme.test'], [undefined]])(
    'to a page of %s',
    async (origin) => {
      const asked = await preflight(origin);
      expect(asked.status).toBe(204);
      expect(corsOf(asked)).toEqual(UNREADABLE);
      const read = await visitor.call('GET', 'signature', { headers: { origin } });
      expect(corsOf(read)).toEqual(UNREADABLE);
      const sent = await visitor.submit({ headers: { origin }, body: 'x'.repeat(300_000) });
      expect(corsOf(sent)).toEqual(UNREADABLE);
    },
  );
});

test('with PostgreSQL away a page of a cached website can read the 503', async () => {
  const broken = await startTestApp();
  try {
    await provision(broken.services, [team('acme')]);
    const websiteIdHere = await websiteId(broken.services, 'www.acme.test');
    const page = createVisitor({ url: broken.url, websiteId: websiteIdHere, origin: ORIGIN });
    expect((await page.call('GET', 'signature')).status).toBe(200);
    broken.services.websites.find = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const answer = await page.call('GET', 'signature');
    expect(answer.status).toBe(503);
    expect(corsOf(answer)).toEqual(readableTo(ORIGIN));
  } finally {
    await broken.close();
  }
});
