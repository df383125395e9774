import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVerdictCounts } from '../../../src/captcha/verdict-counts.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { provision, team, websiteId } from '../../support/factories.js';

let app: TestApp;
let site: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
});
afterAll(() => app.close());

const counts = () => {
  const { db } = app.services;
  return createVerdictCounts({ db, clock: () => new Date(), log: createLogger('silent') });
};

test('more counts than one statement takes are all written', async () => {
  const { add, settled } = counts();
  for (let step = 0; step < 1_100; step++) {
    add({ websiteId: site, stepKey: `turnstile:${step}`, verdict: 'unavailable' });
  }
  const first = settled();
  add({ websiteId: site, stepKey: 'turnstile:0', verdict: 'unavailable' });
  await Promise.all([first, settled()]);
  const { db } = app.services;
  expect(await db.orm.captchaCount.count()).toBe(1_100);
  const { _sum } = await db.orm.captchaCount.aggregate({ _sum: { count: true } });
  expect(_sum.count).toBe(1_101);
});

test('counts of a deleted website do not prevent the others from being written', async () => {
  const { add, settled } = counts();
  const before = await app.services.db.orm.captchaCount.count();
  const gone = '018f2b5e-7c1a-7000-8000-ffffffffffff';
  for (const id of [gone, site]) add({ websiteId: id, stepKey: 'altcha', verdict: 'refused' });
  await settled();
  expect(await app.services.db.orm.captchaCount.count()).toBe(before + 1);
});
