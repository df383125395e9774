import { createHash } from 'node:crypto';
import { createContext, runInContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readScript } from '../../src/http/assets/script-file.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { PROVIDER_SETTINGS } from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';

const PLAIN = 'plain.acme.test';
const GUARDED = 'guarded.acme.test';
const REMOTE = 'remote.acme.test';
const OFF = 'off.acme.test';

const PATHS = ['captcha', 'captcha/altcha/challenge'];

let app: TestApp;
let unasked: TestApp;

beforeAll(async () => {
  [app, unasked] = await Promise.all([startTestApp(), startTestApp({ env: { CAPTCHA_DEFAULT: 'off' } })]);
  const turnstile = { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile };
  const websites = [
    website(PLAIN),
    website(GUARDED, { captcha: [turnstile, { key: 'altcha:own' }] }),
    website(REMOTE, { captcha: [turnstile] }),
    website(OFF, { disabled: true }),
  ];
  for (const { services } of [app, unasked]) await provision(services, [team('acme', { websites })]);
});
afterAll(() => Promise.all([app.close(), unasked.close()]));

type Asked = { from?: TestApp; origin?: string | null; headers?: Record<string, string> };

async function get(host: string, path: string, asked: Asked = {}) {
  const { from = app, origin = `https://${host}`, headers = {} } = asked;
  const site = host.includes('.') ? await websiteId(from.services, host) : host;
  const response = await fetch(`${from.url}/api/websites/${site}/${path}`, {
    headers: { ...(origin !== null && { origin }), ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

/** What a browser sends to ask whether its copy is still good; fetch alone would add `no-cache`. */
const known = (headers: Headers) => ({
  'if-none-match': headers.get('etag')!,
  'cache-control': 'max-age=0',
});

describe('the challenge', () => {
  const path = 'captcha/altcha/challenge';

  test.each([PLAIN, GUARDED])('has the documented shape and is never stored by a cache: %s', async (host) => {
    const { status, headers, body } = await get(host, path);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe(`https://${host}`);
    expect(body).toEqual({
      algorithm: 'SHA-256',
      challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
      salt: expect.stringContaining(`website=${await websiteId(app.services, host)}&`),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
      maxnumber: 100_000,
    });
    expect((await get(host, path)).body.challenge).not.toBe(body.challenge);
  });

  test('is a 404 for a chain without a proof of work', async () => {
    expect(await get(REMOTE, path)).toMatchObject({ status: 404, body: { error: 'altcha_not_enabled' } });
  });

  test('is a 404 for an empty chain when CAPTCHA_DEFAULT is off', async () => {
    const answer = await get(PLAIN, path, { from: unasked });
    expect(answer).toMatchObject({ status: 404, body: { error: 'altcha_not_enabled' } });
    expect((await get(GUARDED, path, { from: unasked })).status).toBe(200);
  });

  test('is issued at most 30 times a minute to an address', async () => {
    const statuses = new Set<number>();
    let last = await get(PLAIN, path, { from: unasked });
    for (let i = 0; i < 31; i++) {
      statuses.add(last.status);
      last = await get(GUARDED, path, { from: unasked });
    }
    expect(last.status).toBe(429);
    expect(last.body).toEqual({ message: expect.any(String) });
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(last.headers.get('access-control-allow-origin')).toBe(`https://${GUARDED}`);
  });
});

describe('the chain', () => {
  const script = expect.stringMatching(/^http:\/\/formgate\.test\/api\/captcha\/altcha\.js\?v=[0-9a-f]{16}$/);

  test.each([
    [PLAIN, [{ key: 'altcha', type: 'altcha', site_key: null }]],
    [
      GUARDED,
      [
        { key: 'turnstile:main', type: 'turnstile', site_key: 'site-ts' },
        { key: 'altcha:own', type: 'altcha', site_key: null },
      ],
    ],
  ])('lists types and site keys, and no secret: %s', async (host, chain) => {
    const { status, headers, body } = await get(host, 'captcha');
    expect({ status, body }).toEqual({ status: 200, body: { chain, altcha_script: script } });
    expect(headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
    expect(headers.get('vary')).toMatch(/\bOrigin\b/i);
  });

  test('is empty when no captcha is required', async () => {
    expect((await get(PLAIN, 'captcha', { from: unasked })).body.chain).toEqual([]);
  });

  test('is a 304 while it is unchanged', async () => {
    const { headers } = await get(GUARDED, 'captcha');
    const again = await get(GUARDED, 'captcha', { headers: known(headers) });
    expect(again.status).toBe(304);
    expect(again.headers.get('access-control-allow-origin')).toBe(`https://${GUARDED}`);
    const other = await get(PLAIN, 'captcha', { headers: known(headers) });
    expect(other.status).toBe(200);
  });
});

describe.each(PATHS)('%s refuses', (path) => {
  test.each([null, 'null', 'https://evil.test', `https://${PLAIN}.evil.test`, `https://${GUARDED}`])(
    'the origin %s',
    async (origin) => {
      const { status, body, headers } = await get(PLAIN, path, { origin });
      expect({ status, body }).toEqual({ status: 403, body: { error: 'origin_not_allowed' } });
      expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test('a foreign origin is refused before altcha_not_enabled', async () => {
    const answer = await get(REMOTE, path, { origin: 'https://evil.test' });
    expect(answer).toMatchObject({ status: 403, body: { error: 'origin_not_allowed' } });
  });

  test.each(['00000000-0000-7000-8000-000000000000', 'acme'])(
    'the unknown website %s is a 404',
    async (site) => {
      const answer = await get(site, path, { origin: `https://${PLAIN}` });
      expect(answer).toMatchObject({ status: 404, body: { message: 'Website not found.' } });
    },
  );

  test('a disabled website is a 403', async () => {
    const answer = await get(OFF, path);
    expect(answer).toMatchObject({ status: 403, body: { message: 'This website is disabled.' } });
  });
});

describe('the widget', () => {
  const load = (query = '', headers: Record<string, string> = {}) =>
    fetch(`${app.url}/api/captcha/altcha.js${query}`, { headers });

  test('is cacheable for a year under its versioned URL, with its licence', async () => {
    const { altcha_script } = (await get(PLAIN, 'captcha')).body;
    const response = await load(new URL(altcha_script).search);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const [licence] = /^\/\*! altcha [\d.]+\n.*?\*\//s.exec(text) ?? [];
    expect(licence).toContain('MIT License');
    expect(licence).toContain('BAU Software');
    expect(altcha_script).toContain(createHash('sha256').update(text).digest('hex').slice(0, 16));
  });

  test('may be read by the pages of every website', async () => {
    const response = await load();
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    await response.body?.cancel();
  });

  test('is served under its plain URL too', async () => {
    const response = await load();
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    await response.body?.cancel();
  });

  test('is not cacheable under the version of another release', async () => {
    const response = await load('?v=0000000000000000');
    expect(response.headers.get('cache-control')).toBe('no-store');
    await response.body?.cancel();
  });

  test('is compressed by Accept-Encoding, and a 304 by If-None-Match', async () => {
    const compressed = await load('', { 'accept-encoding': 'gzip' });
    const plain = await load('', { 'accept-encoding': 'identity' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')).toMatch(/accept-encoding/i);
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await compressed.text());
    const again = await load('', known(plain.headers));
    expect(again.status).toBe(304);
    const script = readScript('altcha.js')!;
    expect(gunzipSync(script.gzip())).toEqual(script.plain);
  });

  test('does not register with the module loader of a page', async () => {
    const text = await (await load()).text();
    const taken: unknown[] = [];
    const define = Object.assign((...args: unknown[]) => taken.push(args), { amd: {} });
    const page = createContext({ define });
    runInContext(text, page);
    expect(taken).toEqual([]);
  });

  test('is a 404 when it has not been built', async () => {
    expect(readScript('nowhere.js')).toBeNull();
  });
});
