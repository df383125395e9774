import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { isDatabaseAway } from '../../../src/db/database-errors.js';
import { createDriver, type Driver } from '../../../src/db/driver.js';
import { createEmptyDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

type Row = { pid: number };

let url: string;
/** Another session, which has the lock that `waiting` waits for. */
let holder: pg.Client;
let driver: Driver;
const opened: Driver[] = [];

const own = { text: 'SELECT pg_backend_pid() AS pid', values: [], name: 'own' };
const waiting = {
  text: 'WITH held AS (SELECT pg_advisory_xact_lock($1)) INSERT INTO written SELECT FROM held RETURNING pg_backend_pid() AS pid',
  values: [1],
  name: 'waiting',
};
const failing = { text: 'SELECT 1 / $1::int AS pid', values: [0], name: 'failing' };

const pidOf = async (rows: Promise<Row[]>) => (await rows)[0]!.pid;

function open(settings: pg.PoolConfig, timeoutMs: number | null): Driver {
  const created = createDriver(new pg.Pool({ connectionString: url, ...settings }), timeoutMs);
  opened.push(created);
  return created;
}

/** Whether something fails because PostgreSQL is away. */
const isAway = (rows: Promise<unknown>): Promise<boolean> =>
  rows.then(
    () => false,
    // Jest has an `Error` of its own, which those of Node's sockets are no instances of.
    ({ message, code }) => isDatabaseAway(Object.assign(new Error(message), { code })),
  );

/** The connections whose statements wait for the lock. */
const waitingPids = async (): Promise<number[]> => {
  const { rows } = await holder.query<Row>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
  );
  return rows.map(({ pid }) => pid);
};

const waitingPid = async () => (await waitingPids())[0];

beforeAll(async () => {
  url = (await createEmptyDatabase()).url;
  holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('CREATE TABLE written ()');
});

beforeEach(async () => {
  driver = open({}, null);
  await holder.query('SELECT pg_advisory_lock(1)');
});

afterEach(async () => {
  await holder.query('SELECT pg_advisory_unlock_all()');
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

afterAll(() => holder.end());

test('a statement that fails reports its error, and its connection runs the next one', async () => {
  const pid = await pidOf(driver.run(own));
  await expect(driver.run(failing)).rejects.toMatchObject({ code: '22012' });
  expect(await pidOf(driver.run(own))).toBe(pid);
});

test('a statement that takes too long fails, is not run later, and the next one is answered', async () => {
  driver = open({}, 300);
  expect(await isAway(driver.run(waiting))).toBe(true);
  expect(await pidOf(driver.run(own))).not.toBe(await waitingPid());
  await eventually(async () => (await waitingPid()) === undefined);
  await holder.query('SELECT pg_advisory_unlock(1)');
  expect((await holder.query('SELECT FROM written')).rows).toEqual([]);
});

test('statements that take too long end in PostgreSQL even when they have every connection', async () => {
  driver = open({ max: 2 }, 300);
  const statements = Array.from({ length: 4 }, () => isAway(driver.run(waiting)));
  await eventually(async () => (await waitingPids()).length === 2);
  expect(await Promise.all(statements)).toEqual([true, true, true, true]);
  await eventually(async () => (await waitingPids()).length === 0);
  expect(await pidOf(driver.run(own))).toBeGreaterThan(0);
});

test('a lost connection fails its statement, and another one runs the next statements', async () => {
  const failure = isAway(driver.run(waiting));
  const lost = await eventually(waitingPid);
  await holder.query('SELECT pg_terminate_backend($1)', [lost]);
  expect(await failure).toBe(true);
  expect(await eventually(() => pidOf(driver.run(own)).catch(() => null))).not.toBe(lost);
});

test('where there is no PostgreSQL every statement fails', async () => {
  const gone = open({ connectionString: 'postgres://127.0.0.1:1/x' }, null);
  for (let round = 0; round < 2; round++) {
    const statements = Array.from({ length: 3 }, () => isAway(gone.run(own)));
    expect(await Promise.all(statements)).toEqual([true, true, true]);
  }
});
