import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Response } from 'express';
import { SYSTEM_ACTOR } from '../../src/audit/audit.js';
import { startGateway } from '../../src/gateway.js';
import { sendList } from '../../src/http/send-json.js';
import { applyDocument } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import { createServices, type Services } from '../../src/services.js';
import { createDirectory } from '../../src/websites/directory/directory.service.js';
import type { TestApp } from '../support/app.js';
import { watchAnswers } from '../support/contract.js';
import { addWebsite, call, createIntegrator, startApiApp } from '../support/integrator.js';
import { describeWithRedis, openTestRedis, type TestRedis } from '../support/redis.js';
import { eventually } from '../support/wait.js';

const HOUR_MS = 3_600_000;

/** Counts how often websites are read for a directory, a portion each time. The first `failures` reads fail. */
function counting(
  db: Services['db'],
  failures = 0,
): { db: Services['db']; reads: () => number; portions: () => readonly number[] } {
  const portions: number[] = [];
  let reads = 0;
  return {
    db: {
      ...db,
      async sql<Row>(...[statement, name]: Parameters<typeof db.sql>): Promise<Row[]> {
        if (name !== 'directory-rows') return db.sql<Row>(statement, name);
        reads += 1;
        if (reads <= failures) throw new Error('Away');
        const rows = await db.sql<Row>(statement, name);
        portions.push(rows.length);
        return rows;
      },
    },
    reads: () => reads,
    portions: () => portions,
  };
}

const namesOf = async (url: string, token: string) =>
  ((await call(url, 'GET', '/websites', { token })).body as { data: { name: string }[] }).data.map(
    ({ name }) => name,
  );

const provision = (services: Services, slug: string, website: object, others: object = {}) =>
  applyDocument(
    services,
    readDocument(
      JSON.stringify({ teams: [{ slug, websites: [website] }], ...others }),
      services.config.locales,
    ),
    { ...SYSTEM_ACTOR, channel: 'provision' },
  );

/** Gives a team 300 websites that all serve every department. */
async function addHundreds({ db }: Services, teamId: number): Promise<void> {
  const host = (index: number) => `${index}.${teamId}.test`;
  const websites = Array.from({ length: 300 }, (_, index) => ({
    id: randomUUID(),
    teamId,
    name: `Été ${(index * 7) % 300}`,
    host: host(index),
    url: `https://${host(index)}/`,
    locale: 'fr',
    email: `desk@${host(index)}`,
    signatureKeyCipher: Buffer.alloc(1),
  }));
  await db.orm.website.createMany({ data: websites });
  await db.orm.$executeRaw`
    INSERT INTO website_departments (website_id, department_code)
    SELECT w.id, d.code FROM websites w CROSS JOIN departments d WHERE w.team_id = ${teamId}`;
}

/** Renames a website where no service notices. */
const renameBehind = (services: Services, id: string, name: string) =>
  services.db.orm.website.update({ where: { id }, data: { name } });

describe('within one process', () => {
  let app: TestApp;
  let now = Date.now();

  beforeAll(async () => {
    app = await startApiApp({ clock: () => new Date(now) });
  });

  afterAll(() => app.close());

  test('is cached for an hour', async () => {
    const { teamId, token } = await createIntegrator(app.services);
    const { id } = await addWebsite(app.services, teamId, { name: 'Before' });
    expect(await namesOf(app.url, token)).toEqual(['Before']);
    await renameBehind(app.services, id, 'After');
    now += HOUR_MS - 1_000;
    expect(await namesOf(app.url, token)).toEqual(['Before']);
    now += 1_000;
    expect(await namesOf(app.url, token)).toEqual(['After']);
  });

  test('is replaced at the next call after a provision document changes a website or a department', async () => {
    const { teamId, team, token } = await createIntegrator(app.services);
    const { host } = await addWebsite(app.services, teamId, { name: 'Before', departments: ['75'] });
    expect(await namesOf(app.url, token)).toEqual(['Before']);

    await provision(app.services, team.slug, { host, name: 'After' });
    expect(await namesOf(app.url, token)).toEqual(['After']);

    await provision(app.services, team.slug, { host, departments: ['2A'] });
    const corse = await call(app.url, 'GET', '/websites/by-department/2A', { token });
    expect(corse.status).toBe(200);
    expect((await call(app.url, 'GET', '/websites/by-department/75', { token })).status).toBe(404);

    await provision(app.services, team.slug, { host }, { departments: [{ code: '2A', name: 'Renamed' }] });
    expect((await call(app.url, 'GET', '/websites', { token })).body).toMatchObject({
      data: [{ departments: [{ code: '2A', name: 'Renamed' }] }],
    });
  });

  test('is neither replaced nor changed by a transaction that is rolled back', async () => {
    const { teamId, team, token } = await createIntegrator(app.services);
    const { host } = await addWebsite(app.services, teamId, { name: 'Before' });
    expect(await namesOf(app.url, token)).toEqual(['Before']);
    const faulty = { forms: [{ slug: 'no-such-form' }] };
    await expect(provision(app.services, team.slug, { host, name: 'After', ...faulty })).rejects.toThrow();
    expect(await namesOf(app.url, token)).toEqual(['Before']);
  });

  test('is loaded once for concurrent calls, and a failed load is not cached', async () => {
    const { teamId } = await createIntegrator(app.services);
    await addWebsite(app.services, teamId, { name: 'Once' });
    const { db, reads } = counting(app.services.db);
    const directory = createDirectory({ db, redis: null, clock: () => new Date(now) });
    const edition = { teamId, directoryVersion: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 500 }, () => directory.list(edition)));
    expect(reads()).toBe(1);
    expect(new Set(answers).size).toBe(1);
    await directory.list({ ...edition, directoryVersion: randomUUID() });
    expect(reads()).toBe(2);

    const shaky = createDirectory({
      db: counting(app.services.db, 1).db,
      redis: null,
      clock: () => new Date(now),
    });
    await expect(shaky.list(edition)).rejects.toThrow('Away');
    expect(await shaky.list(edition)).toHaveLength(1);
  });

  test('of a team is loaded by one call at a time, and the calls meanwhile share the next load', async () => {
    const { teamId } = await createIntegrator(app.services);
    const { id } = await addWebsite(app.services, teamId, { name: 'Before' });
    const { db, reads } = counting(app.services.db);
    const directory = createDirectory({ db, redis: null, clock: () => new Date(now) });
    const list = (directoryVersion: string) => directory.list({ teamId, directoryVersion });
    const first = list(randomUUID());
    await Promise.resolve();
    await renameBehind(app.services, id, 'After');
    const rest = await Promise.all(Array.from({ length: 50 }, () => list(randomUUID())));
    await first;
    expect(rest.map(([website]) => website?.name)).toEqual(rest.map(() => 'After'));
    expect(reads()).toBeLessThanOrEqual(2);
  });

  test('of hundreds of websites is read in portions and sent in turns, with the bytes of one text', async () => {
    const { teamId, token } = await createIntegrator(app.services);
    await addHundreds(app.services, teamId);
    const { db, portions } = counting(app.services.db);
    const directory = createDirectory({ db, redis: null, clock: () => new Date(now) });
    const list = await directory.list({ teamId, directoryVersion: randomUUID() });
    expect(portions()).toEqual([100, 100, 100, 0]);
    const { headers, text, body } = await call(app.url, 'GET', '/websites', { token });
    expect(text).toBe(JSON.stringify(body));
    expect(text).toBe(`{"data":[${list.map(({ json }) => json).join(',')}]}`);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
    const names = (body as { data: { name: string }[] }).data.map(({ name }) => name);
    expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare));
    expect(names).toHaveLength(300);
    const served = await call(app.url, 'GET', '/websites/by-department/2a', { token });
    expect(served.text).toBe(text);

    let turns = 0;
    const count = () => {
      turns += 1;
      counter = setImmediate(count);
    };
    let counter = setImmediate(count);
    const sent = new PassThrough();
    const response = Object.assign(sent, { setHeader: () => undefined }) as unknown as Response;
    sent.resume();
    await sendList(response, list);
    clearImmediate(counter);
    expect(turns).toBeGreaterThan(Buffer.byteLength(text) / 150_000);
  });

  test('is current for concurrent calls while websites change', async () => {
    const { teamId, team, token } = await createIntegrator(app.services);
    const { host } = await addWebsite(app.services, teamId, { name: '0' });
    for (let change = 1; change <= 10; change += 1) {
      const crowd = Promise.all(Array.from({ length: 5 }, () => namesOf(app.url, token)));
      await provision(app.services, team.slug, { host, name: `${change}` });
      expect(await namesOf(app.url, token)).toEqual([`${change}`]);
      await crowd;
      expect(await namesOf(app.url, token)).toEqual([`${change}`]);
    }
  });
});

describeWithRedis('over Redis', () => {
  let redis: TestRedis;
  let app: TestApp;
  let second: Services;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let unwatch: () => void;

  beforeAll(async () => {
    redis = await openTestRedis();
    app = await startApiApp({ redisUrl: redis.url });
    second = createServices(app.services.config, app.services.log);
    gateway = await startGateway(second);
    unwatch = watchAnswers(gateway.url);
    await eventually(async () => (await fetch(`${gateway.url}/readyz`)).ok);
  });

  afterAll(async () => {
    unwatch();
    await gateway.close();
    await second.close();
    await app.close();
    await redis.stop();
  });

  test('processes share one cache entry in Redis, and all see a change at once', async () => {
    const { teamId, team, token } = await createIntegrator(app.services);
    const { id, host } = await addWebsite(app.services, teamId, { name: 'First' });
    expect(await namesOf(app.url, token)).toEqual(['First']);
    await renameBehind(app.services, id, 'Behind');
    expect(await namesOf(gateway.url, token)).toEqual(['First']);
    await provision(second, team.slug, { host, name: 'Changed' });
    expect(await namesOf(app.url, token)).toEqual(['Changed']);
    expect(await namesOf(gateway.url, token)).toEqual(['Changed']);
  });

  test('two databases on one Redis share no cache entry, although their teams have the same ids', async () => {
    const other = await startApiApp({ redisUrl: redis.url });
    const [here, there] = [await createIntegrator(app.services), await createIntegrator(other.services)];
    const { db } = other.database;
    await db.orm.$executeRaw`UPDATE teams SET id = ${here.teamId} WHERE id = ${there.teamId}`;
    await addWebsite(app.services, here.teamId, { name: 'Here' });
    expect(await namesOf(app.url, here.token)).toEqual(['Here']);
    expect(await namesOf(other.url, there.token)).toEqual([]);
    await other.close();
  });

  test('a team has one entry in Redis however often its directory changes, and none when it is large', async () => {
    const { teamId, team, token } = await createIntegrator(app.services);
    const { host } = await addWebsite(app.services, teamId, { name: '0' });
    for (let change = 1; change <= 5; change += 1) {
      await provision(app.services, team.slug, { host, name: `${change}` });
      expect(await namesOf(app.url, token)).toEqual([`${change}`]);
      expect(await namesOf(gateway.url, token)).toEqual([`${change}`]);
    }
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    const keysOf = async (id: number) =>
      (await client.keys('directory:*')).filter((key) => key.split(':').includes(String(id)));
    expect(await keysOf(teamId)).toHaveLength(1);

    const large = await createIntegrator(app.services);
    await addHundreds(app.services, large.teamId);
    expect(await namesOf(app.url, large.token)).toHaveLength(300);
    expect(await keysOf(large.teamId)).toEqual([]);
    client.disconnect();
  });

  test('a cache entry that is no directory is ignored', async () => {
    const { teamId } = await createIntegrator(app.services);
    await addWebsite(app.services, teamId, { name: 'Sound' });
    const version = randomUUID();
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await client.set(`directory:2:${teamId}`, '{"half');
    client.disconnect();
    const list = await app.services.directory.list({ teamId, directoryVersion: version });
    expect(list).toMatchObject([{ name: 'Sound' }]);
  });
});
