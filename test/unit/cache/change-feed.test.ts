import { execFileSync } from 'node:child_process';
import { mkdtemp, rename as move, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createCache } from '../../../src/cache/cache.js';
import { type ChangedTeams, type ChangeFeed, createChangeFeed } from '../../../src/cache/change-feed.js';
import { createDb } from '../../../src/db/client.js';
import { openServer } from '../../../src/embedded/postgres/server.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { begin } from '../../support/begin.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

/** Nothing listens there, so no notification ever arrives. */
const NOWHERE = 'postgres://127.0.0.1:1/none';

let database: TestDatabase;
const opened: ChangeFeed[] = [];
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
  for (const feed of opened) await feed.close();
  await database.drop();
});

/** A change feed with a cache of the teams' names over it, and how often each was loaded. */
function teamNames(databaseUrl = database.url) {
  const feed = createChangeFeed({ db: database.db, databaseUrl, log: createLogger('silent') });
  opened.push(feed);
  const loads: Record<string, number> = {};
  const { get, peek } = createCache({
    changeFeed: feed,
    load: async (slug: string) => {
      loads[slug] = (loads[slug] ?? 0) + 1;
      const team = await database.db.orm.team.findUnique({ where: { slug } });
      return team && { teamId: team.id, name: team.name };
    },
    weightOf: () => 1,
    maxWeight: 10,
  });
  const lastName = (slug: string) => peek(slug)?.name ?? null;
  return { feed, loads, name: async (slug: string) => (await get(slug))?.name, lastName };
}

/** How many feeds listen to the database. */
async function listeners(): Promise<bigint> {
  const [{ count }] = await database.db.orm.$queryRaw<[{ count: bigint }]>`
    SELECT count(*) AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'idle' AND query LIKE 'LISTEN %'`;
  return count;
}

/** Reads a name from a new feed, which begins to listen with its first read, and waits until it does. */
async function startListening(
  name: (slug: string) => Promise<string | undefined>,
  slug: string,
): Promise<void> {
  const before = await listeners();
  await name(slug);
  await eventually(async () => (await listeners()) > before);
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

test('a change is visible within a second by its notification, and reloads no entry of another team', async () => {
  const { name, loads } = teamNames();
  await startListening(name, 'a');
  await Promise.all([name('a'), name('b')]);
  const before = loads.b;
  await rename('a', 'Second');
  await eventually(async () => (await name('a')) === 'Second', { withinMs: 1000 });
  await name('b');
  expect(loads.b).toBe(before);
});

test('without any notification a change is visible within five seconds', async () => {
  const { name } = teamNames(NOWHERE);
  expect(await name('a')).toBe('Second');
  await rename('a', 'Third');
  await eventually(async () => (await name('a')) === 'Third', { withinMs: 5000 });
});

test('the first read after a pause sees a change without any notification', async () => {
  expect(await aroundPause).toEqual(['First', 'Second']);
});

test('a check finds a transaction that began before the last check and was committed after it', async () => {
  const { name, feed } = teamNames(NOWHERE);
  await database.db.orm.$transaction(async (tx) => {
    await tx.team.update({ where: { slug: 'a' }, data: { name: 'Fourth' } });
    // Others come and go meanwhile.
    await rename('b', 'Second');
    feed.expire();
    expect(await name('a')).toBe('Third');
    expect(await name('b')).toBe('Second');
  });
  feed.expire();
  expect(await name('a')).toBe('Fourth');
});

test('while a long transaction runs, each check finds only the changes since the one before', async () => {
  const { name, feed, loads } = teamNames(NOWHERE);
  await database.db.orm.$transaction(async (tx) => {
    await tx.plan.create({ data: { code: 'long', name: 'Holds the horizon back' } });
    await rename('b', 'Third');
    for (let check = 0; check < 3; check++) {
      feed.expire();
      expect(await name('b')).toBe('Third');
    }
  });
  expect(loads.b).toBe(1);
});

test('the first reads at once share one check and one load', async () => {
  const { name, loads } = teamNames(NOWHERE);
  await Promise.all(Array.from({ length: 50 }, () => name('a')));
  expect(loads).toEqual({ a: 1 });
});

test('a row whose transaction this server has not reached yet announces nothing, as after a restore', async () => {
  const { name, feed, loads } = teamNames(NOWHERE);
  const { id: teamId } = await database.db.orm.team.findUniqueOrThrow({ where: { slug: 'b' } });
  await database.db.orm.$executeRaw`INSERT INTO catalogue_changes VALUES (${2n ** 40n}, ${teamId})`;
  await name('b');
  feed.expire();
  await name('b');
  expect(loads.b).toBe(1);
});

test('a database that goes back in time behind its address announces a change of all teams', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'feed-'));
  const [now, before] = [join(folder, 'now'), join(folder, 'before')];
  const server = await openServer(now, { fsync: 'off' });
  const port = await server.ensure();
  const db = createDb(await server.urlOf('postgres', port), { connectTimeoutMs: 20_000 });
  const feed = createChangeFeed({ db, databaseUrl: NOWHERE, log: createLogger('silent') });
  const announced: ChangedTeams[] = [];
  feed.onChange((changed) => announced.push(changed));
  const change = (teamId: number) => db.orm.$executeRaw`
    INSERT INTO catalogue_changes VALUES (pg_current_xact_id()::text::bigint, ${teamId})`;
  try {
    await db.orm.$executeRaw`CREATE TABLE catalogue_changes (transaction_id bigint, team_id integer)`;
    await server.stop();
    // With its owner: PostgreSQL does not run as root.
    execFileSync('cp', ['-a', now, before]);
    await server.ensure(port);
    await eventually(() => change(1).catch(() => null));
    await change(2);
    await feed.checkNow();
    await server.stop();
    await rm(now, { recursive: true });
    await move(before, now);
    await server.ensure(port);
    // Its transaction has an id that the feed has seen already.
    await eventually(() => change(3).catch(() => null));
    await feed.checkNow();
    expect(announced).toEqual(['all', 'all']);
  } finally {
    await feed.close();
    await db.close();
    await server.stop();
    await rm(folder, { recursive: true });
  }
});

test('a cached value can be read without a check, until a change is announced', async () => {
  const { feed, name, lastName } = teamNames();
  expect(lastName('b')).toBeNull();
  await startListening(name, 'b');
  const read = await name('b');
  feed.expire();
  expect(lastName('b')).toBe(read);
  await rename('b', 'Fourth');
  expect(await eventually(async () => lastName('b') === null, { withinMs: 1000 })).toBe(true);
});

describe('the checks of a feed', () => {
  type Row = { snapshot: string; server: string; at: Date; teams: number[] };

  let skippedMs = 0;

  beforeEach(() => {
    const { now } = performance;
    skippedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + skippedMs);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const seen = (teams: number[] = [], at = new Date()): Row[] => [
    { snapshot: '1:1:', server: 'one', at, teams },
  ];

  /** A feed whose checks of the database the test answers; it gets no notification. */
  function stubbed() {
    const query = jest.fn(async (): Promise<Row[]> => seen());
    const feed = createChangeFeed({
      db: { orm: { $queryRaw: query } } as never,
      databaseUrl: NOWHERE,
      log: createLogger('silent'),
    });
    opened.push(feed);
    const announced: (number[] | 'all')[] = [];
    feed.onChange((changed) => announced.push(changed === 'all' ? 'all' : [...changed]));
    return { feed, query, announced };
  }

  test('reads are confirmed without a check for 1.5 seconds, and begin one after that', async () => {
    const { feed, query } = stubbed();
    await feed.confirm();
    skippedMs = 1_400;
    await feed.confirm();
    expect(query).toHaveBeenCalledTimes(1);
    skippedMs = 1_600;
    await feed.confirm();
    expect(query).toHaveBeenCalledTimes(2);
  });

  test('reads are confirmed up to four seconds after the last check that succeeded, and fail after that', async () => {
    const { feed, query } = stubbed();
    await feed.confirm();
    query.mockRejectedValue(new Error('away'));
    for (const ms of [1_600, 2_500, 3_900]) {
      skippedMs = ms;
      await feed.confirm();
      await new Promise(setImmediate);
    }
    skippedMs = 4_100;
    await expect(feed.confirm()).rejects.toThrow('away');
    skippedMs = 60_000;
    await expect(feed.confirm()).rejects.toThrow('away');
    query.mockResolvedValue(seen());
    skippedMs = 61_000;
    await feed.confirm();
  });

  test('when the database hangs, a read fails with 503, and the next one fails at once', async () => {
    const { feed, query } = stubbed();
    query.mockReturnValue(new Promise(() => undefined));
    for (let time = 0; time < 2; time++) {
      await expect(feed.confirm()).rejects.toMatchObject({ status: 503 });
    }
    expect(query).toHaveBeenCalledTimes(1);
  });

  test('a check that was in flight when the feed expired does not confirm a read', async () => {
    const { feed, query } = stubbed();
    let end!: (rows: Row[]) => void;
    query.mockReturnValueOnce(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    const read = feed.confirm();
    skippedMs = 10;
    feed.expire();
    end(seen());
    await read;
    expect(query).toHaveBeenCalledTimes(2);
  });

  test('checkNow resolves after a check that began after the call, which concurrent calls share', async () => {
    const { feed, query } = stubbed();
    let end!: (rows: Row[]) => void;
    query.mockReturnValueOnce(
      new Promise((resolve) => {
        end = resolve;
      }),
    );
    const read = feed.confirm();
    const done = jest.fn();
    const checks = Array.from({ length: 50 }, () => feed.checkNow().then(done));
    await new Promise(setImmediate);
    expect(query).toHaveBeenCalledTimes(1);
    query.mockResolvedValue(seen([7]));
    end(seen());
    await read;
    expect(done).not.toHaveBeenCalled();
    await Promise.all(checks);
    expect(query).toHaveBeenCalledTimes(2);
  });

  test('checkNow fails when its check fails', async () => {
    const { feed, query } = stubbed();
    await feed.confirm();
    query.mockRejectedValue(new Error('away'));
    await expect(feed.checkNow()).rejects.toThrow('away');
  });

  test('a check announces the teams that it finds, and all of them when it finds the id 0', async () => {
    const { feed, query, announced } = stubbed();
    await feed.confirm();
    for (const teams of [[], [3, 4], [3, 0]]) {
      query.mockResolvedValueOnce(seen(teams));
      await feed.checkNow();
    }
    expect(announced).toEqual(['all', [3, 4], 'all']);
  });

  test('the first check, and one after half a day without any, announce a change of all teams', async () => {
    const { feed, query, announced } = stubbed();
    const hours = (count: number) => new Date(Date.UTC(2026, 0, 1) + count * 3_600_000);
    for (const at of [0, 11, 24, 25]) {
      query.mockResolvedValueOnce(seen([], hours(at)));
      await feed.checkNow();
    }
    expect(announced).toEqual(['all', 'all']);
  });
});
