import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import type { TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { runFormgate } from '../support/formgate.js';
import { pageWithScript, type ServedPage, servePage, startProbingApp } from '../support/probed.js';

let app: TestApp;
let page: ServedPage;
let env: Record<string, string>;
let id: string;

beforeAll(async () => {
  page = await servePage();
  app = await startProbingApp();
  env = {
    DATABASE_URL: app.database.url,
    SMTP_URL: app.sink.url,
    MAIL_FROM: 'forms@formgate.test',
    PUBLIC_URL: app.url,
    OUTBOUND_ALLOW: '127.0.0.1',
    APP_KEY: Buffer.alloc(32, 7).toString('base64'),
    LOG_LEVEL: 'silent',
  };
  const settings = { url: `http://${page.host}/`, email: 'desk@acme.test' };
  const shared = website('büro.test', { email: 'desk@acme.test' });
  await provision(app.services, [
    team('acme', { websites: [website(page.host, settings), shared] }),
    team('globex', { websites: [shared] }),
  ]);
  id = await websiteId(app.services, page.host);
});
afterAll(async () => {
  await app.close();
  await page.close();
});

beforeEach(() => {
  page.answer.html = pageWithScript(app.url, id);
});

const probe = (website: string, over: Record<string, string> = {}) =>
  runFormgate(['probe', website], { ...env, ...over }).finished;

test.each([
  ['host', () => page.host],
  ['id', () => id],
])('formgate probe prints each step of a website, named by its %s, and ends with 0', async (_what, name) => {
  const { code, stdout, stderr } = await probe(name());
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 2)),
  ).toEqual(
    ['page', 'configuration', 'signature', 'captcha', 'recorded', 'email'].map((name) => [name, 'ok']),
  );
  const message = await app.sink.waitFor(() => true);
  // PROBE_MAILBOX is not set, so it goes to the address of MAIL_FROM.
  expect(message.recipients).toEqual(['forms@formgate.test']);
  const where = { action: 'website.probed', channel: 'command_line' } as const;
  expect(await app.services.db.orm.auditEvent.count({ where })).toBeGreaterThan(0);
});

test('formgate probe says what a failed step has found, and ends with 1', async () => {
  page.answer.html = '<p>Nothing here';
  const { code, stdout, stderr } = await probe(page.host);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^page +FAILED +\d+ ms +The page does not load the script\. http:/);
  expect(stderr).toBe(`The probe of ${page.host} failed.\n`);
});

test('formgate probe says that no gateway answers at PUBLIC_URL', async () => {
  const { code, stdout } = await probe(page.host, { PUBLIC_URL: `http://127.0.0.1:${await freePort()}` });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /configuration +FAILED .*The gateway does not answer at its PUBLIC_URL\. .*ECONNREFUSED/,
  );
  expect(stdout).not.toContain('signature');
});

test.each([
  ['lost.test', 'There is no website lost.test.'],
  ['BÜRO.test', 'Several teams have a website BÜRO.test: name it by its id.'],
])('formgate probe %s ends with 1', async (name, reason) => {
  expect(await probe(name)).toEqual({ code: 1, stdout: '', stderr: `${reason}\n` });
});

test('formgate probe without a website ends with 2', async () => {
  expect((await runFormgate(['probe'], env).finished).code).toBe(2);
});
