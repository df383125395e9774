import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { DEMO, provisionDemo } from '../support/demo.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';

const run = promisify(execFile);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let app: TestApp;
let providers: CaptchaProviders;
/** A website whose chain ends with a proof of work. */
const chained = { id: '', origin: 'https://chained.test' };
let guide: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  providers = await startCaptchaProviders();
  app = await startTestApp({ env: { ...providers.env, ALTCHA_MAX_NUMBER: '1000' } });
  await provisionDemo(app.services);
  const captcha = [
    { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile },
    { key: 'hcaptcha:main', ...PROVIDER_SETTINGS.hcaptcha },
    { key: 'altcha:own' },
  ];
  await provision(app.services, [
    team('chained', { websites: [website('chained.test', { email: 'hello@chained.test', captcha })] }),
  ]);
  chained.id = await websiteId(app.services, 'chained.test');
  guide = await readFile(new URL('../../docs/integrators.md', import.meta.url), 'utf8');
});

afterAll(async () => {
  await app?.close();
  await providers?.stop();
});

beforeAll(async () => {
  const token = await createToken(app.services, DEMO.team, DEMO.owner);
  env = { PATH: process.env.PATH, BASE_URL: app.url, WEBSITE: DEMO.websiteId, TOKEN: token };
});

/** The blocks of a language, in their order. */
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code!);

const module = (name: string): string => {
  const found = blocks('js').find((code) => code.startsWith(`// ${name}\n`));
  if (!found) throw new Error(`The guide has no ${name}.`);
  return found;
};

const runNode = async (code: string): Promise<string> => {
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', code], { env });
  expect(stderr).toBe('');
  return stdout.trim();
};

const leads = () => app.services.db.orm.submission.count();

test('the Node example submits as printed', async () => {
  const id = await runNode(module('submit.mjs'));
  expect(await app.services.db.orm.submission.findUniqueOrThrow({ where: { id } })).toMatchObject({
    websiteId: DEMO.websiteId,
    values: { name: 'Ada', message: 'Bonjour' },
  });
});

const hasPhp = spawnSync('php', ['--version']).status === 0;
if (!hasPhp) process.stderr.write('\n*** No php on the PATH: THE PHP EXAMPLE IS NOT RUN. ***\n');

const php = async (): Promise<string> => {
  const { stdout } = await run('php', ['-r', blocks('php')[0]!.replace('<?php', '')], { env });
  return stdout.trim();
};

(hasPhp ? test : test.skip)('the PHP example submits as it is pasted', async () => {
  expect(await php()).toMatch(UUID);
});

const samples = [
  ['Node', () => runNode(module('submit.mjs'))],
  ...(hasPhp ? [['PHP', php] as const] : []),
] as const;

test.each(samples)(
  'the %s example submits again what did not arrive in time, with the same key',
  async (_of, submit) => {
    const keys: unknown[] = [];
    const stalling = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']);
      response.writeHead(keys.length === 1 ? 408 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(keys.length === 1 ? { message: 'Late.' } : { lead_id: 'recorded' }));
    });
    await once(stalling.listen(0, '127.0.0.1'), 'listening');
    const before = env;
    env = { ...env, BASE_URL: `http://127.0.0.1:${(stalling.address() as AddressInfo).port}` };
    try {
      expect(await submit()).toBe('recorded');
    } finally {
      env = before;
      stalling.close();
    }
    expect(keys).toEqual([expect.any(String), keys[0]]);
  },
);

const VALUES = { name: 'Ada', email: 'ada@example.com', topic: 'other', message: 'Bonjour', privacy: 1 };

/** Runs the guide's page code with `prelude` before it, where a browser's `fetch` is, and submits. */
async function runPage(website: string, origin: string, prelude = ''): Promise<unknown> {
  const code = module('page.mjs')
    .replace(/https:\/\/forms\.agency\.test/, app.url)
    .replace(DEMO.websiteId, website);
  expect(code).toContain(`${app.url}/api/websites/${website}`);
  // What a browser adds by itself.
  const browser = `const send = fetch;
    const asked = [];
    const revalidated = [];
    globalThis.fetch = (url, { headers, ...rest } = {}) => {
      asked.push(url.split('/').at(-1));
      if (rest.cache === 'no-cache') revalidated.push(url.split('/').at(-1));
      return send(url, { ...rest, headers: { ...headers, Origin: '${origin}' } });
    };`;
  const printed = await runNode(`${browser}\n${code}\n${prelude}
    console.log(JSON.stringify({ ...(await submit('contact', ${JSON.stringify(VALUES)}, crypto.randomUUID())), asked, revalidated }))`);
  return JSON.parse(printed);
}

test('the calls of a page without the script submit as printed', async () => {
  const before = await leads();
  expect(await runPage(DEMO.websiteId, DEMO.origin)).toMatchObject({
    status: 200,
    body: { success: true },
    asked: ['captcha', 'signature', 'challenge', 'submit'],
    // A browser keeps the others for no time.
    revalidated: ['captcha'],
  });
  expect(await leads()).toBe(before + 1);
});

test('the calls of a page end with what the gateway refuses before the form is sent, or a proxy answers', async () => {
  const where = { id: DEMO.websiteId };
  const { website } = app.services.db.orm;
  await website.update({ where, data: { disabled: true } });
  const refused = { status: 403, body: { message: expect.any(String) }, asked: ['captcha'] };
  expect(await runPage(DEMO.websiteId, DEMO.origin)).toMatchObject(refused);
  await website.update({ where, data: { disabled: false } });
  const away = `const whole = globalThis.fetch;
    globalThis.fetch = (url, options) => url.endsWith('signature')
      ? (asked.push('signature'), new Response('<h1>Bad gateway</h1>', { status: 502 })) : whole(url, options);`;
  expect(await runPage(DEMO.websiteId, DEMO.origin, away)).toMatchObject({ status: 502, body: {} });
});

test('the calls of a page renew an expired signature once', async () => {
  const spoilt = (times: number) => `let left = ${times};
    const whole = globalThis.fetch;
    globalThis.fetch = (url, options) => {
      const headers = { ...options?.headers };
      if (headers['X-Website-Signature'] && left-- > 0) headers['X-Website-Signature'] = 'x';
      return whole(url, { ...options, headers });
    };`;
  const again = ['signature', 'challenge', 'submit'];
  expect(await runPage(DEMO.websiteId, DEMO.origin, spoilt(1))).toMatchObject({
    status: 200,
    asked: ['captcha', ...again, ...again],
  });
  expect(await runPage(DEMO.websiteId, DEMO.origin, spoilt(2))).toMatchObject({
    status: 403,
    body: { error: 'invalid_signature' },
    asked: ['captcha', ...again, ...again],
  });
});

test('the calls of a page continue at the step of a fallback, once for each step', async () => {
  providers.behave('turnstile', 503);
  providers.behave('hcaptcha', 503);
  const solvers = `solvers.turnstile = solvers.hcaptcha = () => crypto.randomUUID();`;
  expect(await runPage(chained.id, chained.origin, solvers)).toMatchObject({
    status: 200,
    asked: ['captcha', 'signature', 'submit', 'submit', 'challenge', 'submit'],
  });
  expect(
    await app.services.db.orm.submission.findFirstOrThrow({ where: { websiteId: chained.id } }),
  ).toMatchObject({
    captchaKey: 'altcha:own',
    captchaGround: 'designated',
  });
});

test('the shell commands work as printed', async () => {
  const [settings, ...commands] = blocks('sh');
  expect(settings).toMatch(/^export BASE_URL=.*\nexport WEBSITE=.*\nexport TOKEN=.*\n$/);
  expect(settings).toContain(DEMO.websiteId);

  const script = ['set -eu', ...commands].join('\nprintf "\\n--8<--\\n"\n');
  const { stdout, stderr } = await run('sh', ['-c', script], { env });
  expect(stderr).toBe('');
  const [, list, filtered, submitted, created, revoked, left, all] = stdout.split('\n--8<--\n');
  expect(JSON.parse(list!)).toMatchObject({ data: [{ name: 'Lumen Corse' }, { name: 'Lumen Paris' }] });
  expect(JSON.parse(filtered!)).toMatchObject({ data: [{ name: 'Lumen Corse' }] });
  expect(JSON.parse(submitted!)).toMatchObject({ success: true, lead_id: expect.stringMatching(UUID) });
  expect(created).toMatch(/^\d+\|\w{48}\s*$/);
  expect(revoked).toBe('{"message":"Token revoked."}');
  expect(JSON.parse(left!).data).toEqual([expect.objectContaining({ name: 'Website sync, 2027' })]);
  expect(all).toContain('have been revoked');
});
