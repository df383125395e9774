import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { BACKFILLS } from '../../src/backfills.js';
import type { Backfill } from '../../src/db/backfill/backfill.js';
import { createBackfills } from '../../src/db/backfill/backfills.service.js';
import { freePort } from '../../src/embedded/free-port.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { startWorker } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { openClient } from '../support/migrations.js';
import { eventually } from '../support/wait.js';

const DIST = new URL('../../dist/modules/', import.meta.url).href;
const METRICS_TOKEN = 'a-metrics-token-of-its-own';

let app: TestApp;
let site: string;
let workerPort: number;

beforeAll(async () => {
  workerPort = await freePort();
  app = await startTestApp({ env: { WORKER_PORT: `${workerPort}`, METRICS_TOKEN } });
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
});

afterAll(() => app.close());

beforeEach(async () => {
  const { orm } = app.services.db;
  await orm.backfill.deleteMany();
  await orm.visit.deleteMany();
});

const stateOf = (name: string) => app.services.db.orm.backfill.findUnique({ where: { name } });

/** Visits as version 0.1.0 recorded them, in the order of their ids. */
async function recordOldVisits(count: number): Promise<void> {
  await app.services.db.orm.$executeRaw`
    INSERT INTO visits (id, website_id, visitor_hash, page_url, referrer)
    SELECT lpad(n::text, 32, '0')::uuid, ${site}::uuid, 'h',
           'https://v:pw@www.acme.test/a?utm_source=news&email=ada@example.com#' || n,
           'https://search.test/find?q=ada'
      FROM generate_series(1, ${count}::int) AS n`;
  await app.services.db.orm.$executeRaw`ANALYZE visits`;
}

const countCut = () =>
  app.services.db.orm.visit.count({
    where: { pageUrl: 'https://www.acme.test/a?utm_source=news', referrer: 'https://search.test/find' },
  });

const runnerOf = (registry: readonly Backfill[]) =>
  createBackfills({ db: app.services.db, log: createLogger('silent'), registry });

test('time zones that PostgreSQL does not know become those that Node knows by the same name, else UTC', async () => {
  const { db, dailyCounts } = app.services;
  const { teamId } = await db.orm.website.findUniqueOrThrow({ where: { id: site } });
  const zones = {
    ECT: 'Europe/Paris',
    'Mars/Olympus': 'UTC',
    '+05:30': 'UTC',
    'europe/paris': 'europe/paris',
  };
  for (const timeZone of Object.keys(zones)) {
    const settings = {
      name: 'Z',
      host: `${uuid()}.test`,
      url: 'https://z.test',
      locale: 'fr',
      email: 'z@z.test',
    };
    await db.orm.website.create({
      data: { ...settings, teamId, timeZone, signatureKeyCipher: Buffer.from('x') },
    });
  }
  const { updatedAt } = await db.orm.website.update({ where: { id: site }, data: { timeZone: 'ECT' } });
  await recordedLeads(app.services, site, 1);
  const registry = BACKFILLS.filter(({ table }) => table === 'websites');
  await runnerOf(registry).run();
  await eventually(async () => (await stateOf('daily_counts'))?.passes === 1);
  const websites = await db.orm.website.findMany({ where: { name: 'Z' }, orderBy: { createdAt: 'asc' } });
  expect(websites.map(({ timeZone }) => timeZone)).toEqual(Object.values(zones));
  expect(await db.orm.website.findUniqueOrThrow({ where: { id: site } })).toMatchObject({
    timeZone: 'Europe/Paris',
    updatedAt,
  });
  await dailyCounts.run();
  expect(await db.orm.dailyCount.count({ where: { websiteId: site, stored: 1 } })).toBe(1);
  await db.orm.website.deleteMany({ where: { name: 'Z' } });
  await db.orm.submission.deleteMany();
});

test('a worker cuts the addresses of old visits and attributions, and shows in metrics how far it is', async () => {
  const { db } = app.services;
  await recordOldVisits(2_500);
  const [old, direct] = (await recordedLeads(app.services, site, 2)) as [string, string];
  const attribution = { referrer: 'https://search.test/find?q=ada', utm_source: 'news' };
  await db.orm.submission.update({ where: { id: old }, data: { attribution } });
  await db.orm.submission.update({ where: { id: direct }, data: { attribution: {} } });

  const worker = await startWorker(app.services);
  await eventually(async () => (await stateOf('attribution_referrers'))?.passes === 1);
  expect(await countCut()).toBe(2_500);
  const attributions = await db.orm.submission.findMany({
    where: { id: { in: [old, direct] } },
    select: { attribution: true },
    orderBy: { id: 'asc' },
  });
  expect(attributions).toEqual([
    { attribution: { referrer: 'https://search.test/find', utm_source: 'news' } },
    { attribution: {} },
  ]);

  await db.orm.backfill.update({ where: { name: 'visit_addresses' }, data: { remaining: 42 } });
  for (const url of [app.url, `http://127.0.0.1:${workerPort}`]) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const text = await response.text();
    expect(text).toMatch(/^formgate_backfill_rows_left\{backfill="visit_addresses"\} 42$/m);
    expect(text).toMatch(/^formgate_backfill_rows_left\{backfill="attribution_referrers"\} 0$/m);
  }
  await worker.close();
});

test('a worker killed in the middle of a portion leaves none of it, and the next one continues there', async () => {
  await recordOldVisits(1_000);
  const reader = await openClient(app.database.url);
  await reader.query(`BEGIN; SELECT FROM visits WHERE id = lpad('550', 32, '0')::uuid FOR UPDATE`);
  const script = `
    const { BACKFILLS } = await import('${DIST}backfills.js');
    const { createBackfills } = await import('${DIST}db/backfill/backfills.service.js');
    const { createDb } = await import('${DIST}db/client.js');
    const log = { info() {} };
    await createBackfills({ db: createDb('${app.database.url}'), log, registry: BACKFILLS }).run(100);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  await eventually(async () => {
    const waiting = await app.services.db.orm.$queryRaw<object[]>`
      SELECT pid FROM pg_stat_activity WHERE query LIKE '%UPDATE visits%' AND wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await countCut()).toBe(500);
  expect(await stateOf('visit_addresses')).toMatchObject({ remaining: 500, passes: 0 });

  await reader.query('COMMIT');
  await reader.end();
  const read: (string | null)[] = [];
  const [visitAddresses] = BACKFILLS;
  const observed: Backfill = {
    ...visitAddresses!,
    rewrite(tx, after, limit) {
      read.push(after);
      return visitAddresses!.rewrite(tx, after, limit);
    },
  };
  // PostgreSQL may take a moment to notice that the killed process is gone.
  await eventually(async () => {
    await runnerOf([observed]).run(100);
    return (await stateOf('visit_addresses'))?.passes === 1;
  });
  expect(read.map((after) => Number(after?.replaceAll('-', '')))).toEqual([500, 600, 700, 800, 900, 1_000]);
  expect(await countCut()).toBe(1_000);
});

test('only one worker at a time carries on a backfill', async () => {
  let inFlight = 0;
  let most = 0;
  const seen: number[] = [];
  const counting: Backfill = {
    name: 'counting',
    table: 'visits',
    async rewrite(tx, after) {
      inFlight += 1;
      most = Math.max(most, inFlight);
      const next = Number(after ?? 0) + 1;
      await tx.$queryRaw`SELECT pg_sleep(0.02)::text`;
      inFlight -= 1;
      seen.push(next);
      return next > 20 ? null : { last: String(next), rows: 1 };
    },
  };
  const workers = [1, 2, 3].map(() => runnerOf([counting]));
  await eventually(async () => {
    await Promise.all(workers.map((worker) => worker.run()));
    return (await stateOf('counting'))?.passes === 1;
  });
  expect(most).toBe(1);
  expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
});

test('a second pass a day later cuts what the version before has recorded meanwhile, and then it is done', async () => {
  const runner = runnerOf(BACKFILLS);
  await runner.run();
  await recordOldVisits(10);
  await runner.run();
  expect(await countCut()).toBe(0);
  expect(await stateOf('visit_addresses')).toMatchObject({ passes: 1, remaining: 0, doneAt: null });

  await app.services.db.orm.$executeRaw`UPDATE backfills SET started_at = started_at - interval '1 day'`;
  await runner.run();
  expect(await countCut()).toBe(10);
  expect(await stateOf('visit_addresses')).toMatchObject({ passes: 2, doneAt: expect.any(Date) });

  await app.services.db.orm.visit.deleteMany();
  await recordOldVisits(1);
  await runner.run();
  expect(await countCut()).toBe(0);
});
