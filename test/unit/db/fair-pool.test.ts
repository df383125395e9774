import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDb, type Db } from '../../../src/db/client.js';
import { isDatabaseAway } from '../../../src/db/database-errors.js';
import { asHolder, createTurns, setHolder } from '../../../src/db/fair-pool.js';
import { Prisma } from '../../../src/generated/prisma/client.js';
import { createEmptyDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

describe('turns', () => {
  /** Asks for a permit of each holder, in order; `begun` lists those that have one. */
  function ask(holders: string, permits = 5) {
    const turns = createTurns(permits);
    const begun: string[] = [];
    const releases: (() => void)[] = [];
    const more = (key: string) => {
      turns.acquire(key).then(
        (release) => {
          releases.push(release);
          begun.push(key);
        },
        () => undefined,
      );
    };
    for (const key of holders) more(key);
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    return { begun, releases, more, settled };
  }

  test('leave two of five permits to others, whatever one holder asks for', async () => {
    const { begun, more, settled } = ask('aaaaaaaa');
    await settled();
    expect(begun.join('')).toBe('aaa');
    more('b');
    more('c');
    await settled();
    expect(begun.join('')).toBe('aaabc');
  });

  test('go to the holder with the fewest, then to the one served longest ago, then in order', async () => {
    const { begun, releases, more, settled } = ask('aaaabc');
    await settled();
    expect(begun.join('')).toBe('aaabc');
    for (const key of 'bdde') more(key);
    for (let n = 0; n < 5; n += 1) {
      releases[n]!();
      await settled();
    }
    expect(begun.join('')).toBe('aaabcdeab');
  });

  test('end in time, as for a pool that is full', async () => {
    const turns = createTurns(2, 20);
    await Promise.all([turns.acquire('a'), turns.acquire('b')]);
    for (const key of ['a', 'c']) {
      await expect(turns.acquire(key)).rejects.toThrow('timeout exceeded when trying to connect');
    }
  });
});

describe('the connections of the panel', () => {
  let db: Db;
  let admin: Db;

  beforeAll(async () => {
    const { url } = await createEmptyDatabase();
    db = createDb(url, { use: 'panel' });
    admin = createDb(url);
  });
  afterAll(() => Promise.all([db.close(), admin.close()]));

  /** A transaction that holds a lock until the test lets go of it, however slow the machine is. */
  const UNHURRIED = { timeout: 120_000 };

  const KINDS: [string, (statement: Prisma.Sql) => Promise<unknown>][] = [
    ['statements', (statement) => db.sql(statement)],
    ['statements of Prisma', (statement) => db.orm.$queryRaw(statement)],
    ['transactions', (statement) => db.orm.$transaction((tx) => tx.$queryRaw(statement))],
  ];

  test.each(KINDS)('are taken by %s of one holder up to three', async (_what, run) => {
    const waiting = async () => {
      const [row] = await admin.sql<{ count: number }>(
        Prisma.sql`SELECT count(*)::int FROM pg_locks JOIN pg_database d ON d.oid = database
                    WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`,
      );
      return row!.count;
    };
    const lock = Prisma.sql`SELECT pg_advisory_lock(1)::text, pg_advisory_unlock(1)::text`;
    let isOver = false;
    let end!: () => void;
    // PostgreSQL ends each after two seconds, in which a slow machine may not have opened three connections.
    const keepWaiting = (): Promise<unknown> => run(lock).catch(() => isOver || keepWaiting());
    const locked = admin.orm.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(1)::text`;
      await new Promise<void>((resolve) => {
        end = () => {
          isOver = true;
          resolve();
        };
        asHolder('10.0.0.1', () => {
          setHolder('account 1');
          for (let n = 0; n < 8; n += 1) keepWaiting();
        });
      });
    }, UNHURRIED);
    await eventually(async () => (await waiting()) === 3);
    const other = await asHolder('account 2', () => run(Prisma.sql`SELECT 1 AS one`));
    expect(other).toEqual([{ one: 1 }]);
    expect(await waiting()).toBeLessThanOrEqual(3);
    end();
    await locked;
    await eventually(async () => (await waiting()) === 0);
  });

  test('are refused, as by a database that is away, to what has waited too long behind its own holder', async () => {
    const outcomes = await admin.orm.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT pg_advisory_xact_lock(2)::text`;
      const lock = Prisma.sql`SELECT pg_advisory_xact_lock(2)::text`;
      const runs = KINDS.flatMap(([, run]) => Array.from({ length: 4 }, () => run));
      const refusals: boolean[] = [];
      await asHolder('account 4', async () => {
        for (const run of runs) run(lock).catch((error) => refusals.push(isDatabaseAway(error)));
      });
      await eventually(() => refusals.length === 6);
      return refusals;
    }, UNHURRIED);
    // Of four statements and eight of Prisma's, three each have a connection.
    expect(outcomes).toEqual(Array(6).fill(true));
  });

  test('go on after statements and transactions that fail', async () => {
    const failing = Prisma.sql`SELECT 1 / 0`;
    await asHolder('account 3', async () => {
      for (const [, run] of KINDS) {
        const results = await Promise.allSettled(Array.from({ length: 12 }, () => run(failing)));
        expect(results.every(({ status }) => status === 'rejected')).toBe(true);
      }
      expect(await db.sql(Prisma.sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
    });
  });
});
