import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { DEMO, provisionDemo } from '../support/demo.js';
import { createToken } from '../support/factories.js';

const run = promisify(execFile);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let app: TestApp;
let guide: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  app = await startTestApp({ env: { ALTCHA_MAX_NUMBER: '1000' } });
  await provisionDemo(app.services);
  guide = await readFile(new URL('../../docs/integrators.md', import.meta.url), 'utf8');
});

afterAll(() => app?.close());

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

const leads = () => app.services.db.submission.count();

test('the Node example submits as it is pasted', async () => {
  const id = await runNode(module('submit.mjs'));
  expect(await app.services.db.submission.findUniqueOrThrow({ where: { id } })).toMatchObject({
    websiteId: DEMO.websiteId,
    values: { name: 'Ada', message: 'Bonjour' },
  });
});

const hasPhp = spawnSync('php', ['--version']).status === 0;

(hasPhp ? test : test.skip)('the PHP example submits as it is pasted', async () => {
  const { stdout } = await run('php', ['-r', blocks('php')[0]!.replace('<?php', '')], { env });
  expect(stdout.trim()).toMatch(UUID);
});

test('the calls of a page without the script submit as they are pasted', async () => {
  // What a browser adds by itself.
  const browser = `const send = fetch;
    globalThis.fetch = (url, { headers, ...rest } = {}) =>
      send(url, { ...rest, headers: { ...headers, Origin: '${DEMO.origin}' } });`;
  const values = { name: 'Ada', email: 'ada@example.com', topic: 'other', message: 'Bonjour', privacy: 1 };
  const code = module('page.mjs').replace(/https:\/\/forms\.agency\.test/, app.url);
  expect(code).toContain(app.url);
  const before = await leads();
  const printed = await runNode(
    `${browser}\n${code}\nconsole.log(JSON.stringify(await submit('contact', ${JSON.stringify(values)})))`,
  );
  expect(JSON.parse(printed)).toMatchObject({ status: 200, body: { success: true } });
  expect(await leads()).toBe(before + 1);
});

test('the commands work as they are pasted', async () => {
  const [settings, ...commands] = blocks('sh');
  expect(settings).toMatch(/^BASE_URL=.*\nWEBSITE=.*\nTOKEN=.*\n$/);
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
