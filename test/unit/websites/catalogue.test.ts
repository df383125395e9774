import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Catalogue, createCatalogue } from '../../../src/cache/catalogue.js';
import { createLogger } from '../../../src/lib/logger.js';
import { begin } from '../../support/begin.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

/** Nothing listens there, so no notification ever arrives. */
const NOWHERE = 'postgres://127.0.0.1:1/none';

let database: TestDatabase;
const opened: Catalogue[] = [];
/** What is read of a team before and after a pause in which it changes. */
let aroundPause: Promise<(string | undefined)[]>;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.orm.plan.create({
    data: {
      code: 'default',
      name: 'Default',
      teams: { create: ['a', 'b', 'seldom'].map((slug) => ({ slug, name: 'First' })) },
    },
  });
  aroundPause = begin(readAroundPause);
});

afterAll(async () => {
  for (const catalogue of opened) await catalogue.close();
  await database.drop();
});

/** A catalogue with the teams' names on its one shelf, and how often it has loaded. */
function teamNames(databaseUrl = database.url) {
  const catalogue = createCatalogue({ db: database.db, databaseUrl, log: createLogger('silent') });
  opened.push(catalogue);
  const loads: Record<string, number> = {};
  const { get: read } = catalogue.shelf({
    load: async (slug: string) => {
      loads[slug] = (loads[slug] ?? 0) + 1;
      const team = await database.db.orm.team.findUnique({ where: { slug } });
      return team && { teamId: team.id, name: team.name };
    },
    weightOf: () => 1,
    maxWeight: 10,
  });
  return { catalogue, loads, name: async (slug: string) => (await read(slug))?.name };
}

const rename = (slug: string, name: string) =>
  database.db.orm.team.update({ where: { slug }, data: { name } });

async function readAroundPause(): Promise<(string | undefined)[]> {
  const { name } = teamNames(NOWHERE);
  const before = await name('seldom');
  await rename('seldom', 'Second');
  await new Promise((resolve) => setTimeout(resolve, 4100));
  return [before, await name('seldom')];
}

test('a change is seen within a second, and costs the other teams nothing', async () => {
  const { name, loads } = teamNames();
  // Listening begins with the first read, and looks again once.
  await eventually(async () => (await name('a')) === 'First');
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([name('a'), name('b')]);
  const before = loads.b;
  await rename('a', 'Second');
  await eventually(async () => (await name('a')) === 'Second', { withinMs: 1000 });
  await name('b');
  expect(loads.b).toBe(before);
});

test('without any notification a change is seen within five seconds', async () => {
  const { name } = teamNames(NOWHERE);
  expect(await name('a')).toBe('Second');
  await rename('a', 'Third');
  await eventually(async () => (await name('a')) === 'Third', { withinMs: 5000 });
});

test('after a pause without requests the first one sees every change', async () => {
  expect(await aroundPause).toEqual(['First', 'Second']);
});

test('a transaction that began before the last look and ended after it is seen', async () => {
  const { name, catalogue } = teamNames(NOWHERE);
  await database.db.orm.$transaction(async (tx) => {
    await tx.team.update({ where: { slug: 'a' }, data: { name: 'Fourth' } });
    // Others come and go meanwhile.
    await rename('b', 'Second');
    catalogue.expire();
    expect(await name('a')).toBe('Third');
    expect(await name('b')).toBe('Second');
  });
  catalogue.expire();
  expect(await name('a')).toBe('Fourth');
});

test('a look after a long transaction forgets only what is new since the one before', async () => {
  const { name, catalogue, loads } = teamNames(NOWHERE);
  await database.db.orm.$transaction(async (tx) => {
    await tx.plan.create({ data: { code: 'long', name: 'Holds the horizon back' } });
    await rename('b', 'Third');
    for (let look = 0; look < 3; look++) {
      catalogue.expire();
      expect(await name('b')).toBe('Third');
    }
  });
  expect(loads.b).toBe(1);
});

test('the many who come at once look once', async () => {
  const { name, loads } = teamNames(NOWHERE);
  await Promise.all(Array.from({ length: 50 }, () => name('a')));
  expect(loads).toEqual({ a: 1 });
});

test('with a database that hangs, who comes right after one that failed waits no more', async () => {
  const $queryRaw = jest.fn(() => new Promise(() => undefined));
  const catalogue = createCatalogue({
    db: { orm: { $queryRaw } } as never,
    databaseUrl: NOWHERE,
    log: createLogger('silent'),
  });
  opened.push(catalogue);
  const { get } = catalogue.shelf({ load: async () => ({ teamId: 1 }), weightOf: () => 1, maxWeight: 10 });
  for (let time = 0; time < 2; time++) await expect(get('a')).rejects.toMatchObject({ status: 503 });
  expect($queryRaw).toHaveBeenCalledTimes(1);
});

test('what was read last can be looked at without the database, until it changes', async () => {
  const { db, url } = database;
  const catalogue = createCatalogue({ db, databaseUrl: url, log: createLogger('silent') });
  opened.push(catalogue);
  const team = await db.orm.team.findUniqueOrThrow({ where: { slug: 'b' } });
  const { get, peek } = catalogue.shelf({
    load: async () => ({ teamId: team.id }),
    weightOf: () => 1,
    maxWeight: 10,
  });
  expect(peek('b')).toBeNull();
  await eventually(async () => (await get('b')) && peek('b')?.teamId === team.id);
  catalogue.expire();
  expect(peek('b')).toEqual({ teamId: team.id });
  // Listening begins with the first read: a change before it is noticed with the next read only.
  await eventually(async () => {
    await rename('b', 'Third');
    return peek('b') === null;
  });
});
