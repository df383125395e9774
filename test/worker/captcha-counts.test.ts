import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { commandEnv, startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { type Running, runFormgate } from '../support/formgate.js';
import { recordedLeads } from '../support/leads.js';
import { solve } from '../support/solve.js';
import { createVisitor } from '../support/visitor.js';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const MINUTE_MS = 60_000;

let app: TestApp;
let site: string;
let now: Date;
const started: Running[] = [];

beforeAll(async () => {
  app = await startTestApp({ clock: () => now });
  now = NOW;
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test', { time_zone: 'Pacific/Auckland' })] }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
});
afterAll(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await Promise.all(started.map(({ finished }) => finished));
  await app.close();
});

beforeEach(async () => {
  const { orm } = app.services.db;
  now = NOW;
  await orm.submission.deleteMany();
  await orm.dailyCount.deleteMany();
  await orm.rollupMark.deleteMany();
  await orm.captchaCount.deleteMany();
});

type Ground = 'none' | 'first' | 'designated' | 'altcha' | 'pass_through';

/** Records leads that a captcha step has admitted. */
async function admit(count: number, ground: Ground, at: Date): Promise<string[]> {
  const ids = await recordedLeads(app.services, site, count, at);
  const captchaKey = ground === 'none' ? null : 'turnstile:main';
  await app.services.db.orm.submission.updateMany({
    where: { id: { in: ids } },
    data: { captchaKey, captchaGround: ground },
  });
  return ids;
}

/** The counts of each day, as `day: verdict count`. */
async function counted(): Promise<string[]> {
  const rows = await app.services.db.orm.captchaCount.findMany({
    orderBy: [{ day: 'asc' }, { verdict: 'asc' }],
  });
  return rows.map(({ day, verdict, count }) => `${day.toISOString().slice(0, 10)}: ${verdict} ${count}`);
}

const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);

const run = () => app.services.dailyCounts.run();

test('what captchas have admitted is counted from the leads, by the day in UTC', async () => {
  await admit(2, 'first', new Date('2026-06-14T23:59:00Z'));
  await admit(1, 'designated', new Date('2026-06-15T00:01:00Z'));
  await admit(1, 'altcha', ago(5));
  await admit(3, 'pass_through', ago(5));
  await admit(4, 'none', ago(5));
  await run();
  const expected = ['2026-06-14: accepted 2', '2026-06-15: accepted 2', '2026-06-15: pass_through 3'];
  expect(await counted()).toEqual(expected);
  now = new Date(NOW.getTime() + 5 * MINUTE_MS);
  await admit(1, 'first', ago(1));
  await run();
  await run();
  expect(await counted()).toEqual(expected.toSpliced(1, 1, '2026-06-15: accepted 3'));
});

test('a count of a process of the version before, which adds up, is corrected', async () => {
  await admit(3, 'first', ago(1));
  await run();
  await app.services.db.orm.captchaCount.updateMany({ data: { count: 5 } });
  await run();
  expect(await counted()).toEqual(['2026-06-15: accepted 3']);
});

test('leads that are deleted still count, and so do those of days that are not counted anew', async () => {
  const [first] = await admit(3, 'first', ago(1));
  const past = { websiteId: site, stepKey: 'turnstile:main', day: new Date('2026-05-01') };
  await app.services.db.orm.captchaCount.create({ data: { ...past, verdict: 'accepted', count: 7 } });
  await run();
  await app.services.db.orm.submission.delete({ where: { id: first! } });
  await run();
  expect(await counted()).toEqual(['2026-05-01: accepted 7', '2026-06-15: accepted 3']);
});

test('test leads are not counted', async () => {
  const [id] = await admit(1, 'first', ago(1));
  await app.services.db.orm.submission.update({
    where: { id: id! },
    data: { testRecipient: 'probes@agency.test' },
  });
  await run();
  expect(await counted()).toEqual([]);
});

/** Starts a gateway as a process of its own. */
async function startGateway() {
  const running = runFormgate(['gateway'], { ...commandEnv(app), LOG_LEVEL: 'info', PORT: '0' });
  started.push(running);
  const [, url] = await running.printed(/"url":"([^"]+)","msg":"Gateway listens"/);
  return { running, visitor: createVisitor({ url: url!, websiteId: site, origin: 'https://www.acme.test' }) };
}

const today = () => now.toISOString().slice(0, 10);

test('the captcha of a lead is counted though the gateway is killed once it has answered', async () => {
  const { running, visitor } = await startGateway();
  const { body } = await visitor.call('GET', 'captcha/altcha/challenge');
  const headers = { 'x-captcha-token': solve(body as Challenge), ...(await visitor.sign()) };
  const { status } = await visitor.submit({ headers });
  running.child.kill('SIGKILL');
  await running.finished;
  expect(status).toBe(200);
  now = new Date();
  await run();
  expect(await counted()).toEqual([`${today()}: accepted 1`]);
});

test('a captcha that was refused is counted by a gateway that is told to stop', async () => {
  const { running, visitor } = await startGateway();
  const headers = { 'x-captcha-token': 'never-issued', ...(await visitor.sign()) };
  const { status } = await visitor.submit({ headers });
  running.child.kill('SIGTERM');
  await running.finished;
  expect(status).toBe(403);
  now = new Date();
  expect(await counted()).toEqual([`${today()}: refused 1`]);
});
