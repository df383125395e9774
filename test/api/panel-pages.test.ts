import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(app.url + path, { headers, redirect: 'manual' });

/** The addresses of a shell's scripts and styles. */
async function assetsOf(response: Response): Promise<string[]> {
  const html = await response.text();
  return [...html.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]+)"/g)].map(([, address]) => address!);
}

describe('the shell', () => {
  test.each(['/panel', '/panel/', '/panel/inbox', '/panel/inbox/01939a60?team=1'])(
    'is at %s',
    async (path) => {
      const response = await get(path);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-request-id')).not.toBeNull();
      expect(response.headers.get('set-cookie')).toBeNull();
    },
  );

  test('has a policy without an unsafe source, and a nonce of its own in each answer', async () => {
    const nonces = new Set<string>();
    for (const path of ['/panel/', '/panel/', '/panel/login']) {
      const response = await get(path);
      const policy = response.headers.get('content-security-policy')!;
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      for (const directive of [
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ])
        expect(policy.split('; ')).toContain(directive);
      const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
      const html = await response.text();
      expect(new Set([...html.matchAll(/nonce="([^"]*)"/g)].map(([, one]) => one))).toEqual(new Set([nonce]));
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });

  test('is where the root of the gateway leads, by a relative address', async () => {
    const response = await get('/');
    expect([response.status, response.headers.get('location')]).toEqual([302, 'panel/']);
  });

  test('takes no method but GET and HEAD', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${app.url}/panel/inbox`, { method });
      expect([method, response.status]).toEqual([method, 404]);
    }
    expect((await fetch(`${app.url}/panel/inbox`, { method: 'HEAD' })).status).toBe(200);
  });

  test('names its assets below the path of the public address', async () => {
    const published = await startTestApp({ env: { PUBLIC_URL: 'https://agency.test/gate/' } });
    try {
      const assets = await assetsOf(await fetch(`${published.url}/panel/login`));
      expect(assets.length).toBeGreaterThan(1);
      for (const asset of assets) expect(asset).toMatch(/^\/gate\/panel\/assets\//);
    } finally {
      await published.close();
    }
  });
});

describe('the preview of a form', () => {
  const directives = (response: Response) => response.headers.get('content-security-policy')!.split('; ');

  test('may run its one script, in a sandbox, and nothing else', async () => {
    const response = await get('/panel/form-preview');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const html = await response.text();
    const [, script] = /<script>(.*)<\/script>/s.exec(html)!;
    const digest = createHash('sha256').update(script!).digest('base64');
    expect(directives(response)).toEqual([
      "default-src 'none'",
      `script-src 'sha256-${digest}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
      'sandbox allow-scripts allow-forms',
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(script).not.toContain('</script');
  });

  test('is kept by browsers, and revalidated', async () => {
    const response = await get('/panel/form-preview');
    expect(response.headers.get('cache-control')).toBe('private, no-cache');
    const again = await get('/panel/form-preview', { 'if-none-match': response.headers.get('etag')! });
    expect(again.status).toBe(304);
    expect(directives(again)).toEqual(directives(response));
  });

  test('is the only frame that a page of the panel may have', async () => {
    expect(directives(await get('/panel/forms/1')).filter((one) => one.startsWith('frame-'))).toEqual([
      "frame-src 'self'",
      "frame-ancestors 'none'",
    ]);
  });
});

describe('an asset', () => {
  test('is immutable, and sent in the best encoding that the client accepts', async () => {
    for (const asset of await assetsOf(await get('/panel/'))) {
      const plain = await get(asset, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(plain.headers.get('vary')).toBe('Accept-Encoding');
      expect(plain.headers.get('content-type')).toBe(
        asset.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      );
      expect(plain.headers.get('content-encoding')).toBeNull();
      const content = await plain.text();
      for (const [accepted, encoding] of [
        ['gzip, deflate, br, zstd', 'br'],
        ['gzip', 'gzip'],
      ] as const) {
        const response = await get(asset, { 'accept-encoding': accepted });
        expect(response.headers.get('content-encoding')).toBe(encoding);
        expect(Number(response.headers.get('content-length'))).toBeLessThan(content.length);
        expect(await response.text()).toBe(content);
      }
    }
  });

  test.each([
    '/panel/assets/none.js',
    '/panel/assets/',
    '/panel/assets/index.html',
    '/panel/assets/..%2Findex.html',
    '/panel/exports/none.csv',
  ])('is not at %s', async (path) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([404, { message: 'Not found.' }]);
  });

  test('is not served in its compressed form by name', async () => {
    const [asset] = await assetsOf(await get('/panel/'));
    expect((await get(`${asset}.gz`)).status).toBe(404);
  });
});
