import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { isDatabaseAway } from '../../../src/db/client.js';
import { createStatements, PATIENCE_MS, type Statements } from '../../../src/db/driver.js';
import { createEmptyDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

type Answer = { pid: number };

let url: string;
/** Somebody else, who has the lock that `waiting` waits for. */
let holder: pg.Client;
let statements: Statements;
const opened: Statements[] = [];

const own = { text: 'SELECT pg_backend_pid() AS pid', values: [], name: 'own' };
const waiting = {
  text: 'SELECT pg_backend_pid() AS pid FROM pg_advisory_xact_lock($1)',
  values: [1],
  name: 'waiting',
};
const failing = { text: 'SELECT 1 / $1::int AS pid', values: [0], name: 'failing' };
const writing = { text: 'INSERT INTO written DEFAULT VALUES', values: [], name: 'writing' };

const inLine = (statement: Parameters<Statements['runInLine']>[0]) => statements.runInLine<Answer>(statement);
const pidOf = async (asked: Promise<Answer[]>) => (await asked)[0]!.pid;

function open(timeoutMs: number | null): Statements {
  const made = createStatements({ connectionString: url }, timeoutMs);
  opened.push(made);
  return made;
}

/** Whether something fails because PostgreSQL is away. */
const isAway = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    // Jest has an `Error` of its own, which those of Node's sockets are no instances of.
    ({ message, code }) => isDatabaseAway(Object.assign(new Error(message), { code })),
  );

/** Whose statement waits for the lock, if one does. */
const waitingPid = async () => {
  const { rows } = await holder.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
  );
  return rows[0]?.pid as number | undefined;
};

/** Connections on which the one that waits was the last. */
const countBackends = async () => {
  const { rows } = await holder.query(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = $1`,
    [waiting.text],
  );
  return rows.length;
};

beforeAll(async () => {
  url = (await createEmptyDatabase()).url;
  holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('CREATE TABLE written ()');
});

beforeEach(async () => {
  statements = open(null);
  await holder.query('SELECT pg_advisory_lock(1)');
});

afterEach(async () => {
  await holder.query('SELECT pg_advisory_unlock_all()');
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

afterAll(() => holder.end());

test('a statement goes behind the one under way, and a third beside them', async () => {
  const first = inLine(waiting);
  const second = inLine(own);
  const third = await pidOf(inLine(own));
  expect(await waitingPid()).not.toBe(third);
  await holder.query('SELECT pg_advisory_unlock(1)');
  expect(await pidOf(second)).toBe(await pidOf(first));
  expect(await pidOf(first)).not.toBe(third);
});

test('nobody goes behind one that has been held up', async () => {
  const heldUp = inLine(waiting);
  await eventually(waitingPid);
  const lateAt = performance.now() + PATIENCE_MS;
  await eventually(() => performance.now() > lateAt);
  const free = await pidOf(inLine(own));
  await holder.query('SELECT pg_advisory_unlock(1)');
  expect(await pidOf(heldUp)).not.toBe(free);
});

test('what stands behind a statement that fails is answered, on the same connection', async () => {
  const settled = await Promise.allSettled([inLine(failing), inLine(own)]);
  expect(settled).toMatchObject([
    { status: 'rejected', reason: { code: '22012' } },
    { status: 'fulfilled', value: [{ pid: expect.any(Number) }] },
  ]);
  const again = await Promise.allSettled([inLine(own), inLine(failing)]);
  expect(again).toMatchObject([settled[1]!, settled[0]!]);
});

test('a statement that takes too long fails with what stands behind it, and neither is run later', async () => {
  statements = open(300);
  const first = isAway(inLine(waiting));
  await holder.query('SELECT');
  const second = isAway(inLine(writing));
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(await pidOf(inLine(own))).toBeGreaterThan(0);
  await eventually(async () => (await waitingPid()) === undefined);
  await holder.query('SELECT pg_advisory_unlock(1)');
  // It would have been second on its connection, of which nothing is left.
  await eventually(async () => (await countBackends()) === 0);
  expect((await holder.query('SELECT FROM written')).rows).toEqual([]);
});

test('a statement of a connection of its own that takes too long fails, and the next one is answered', async () => {
  statements = open(300);
  for (const use of ['public', 'panel'] as const) {
    expect(await isAway(statements.run(use, waiting))).toBe(true);
    expect(await pidOf(statements.run<Answer>(use, own))).not.toBe(await waitingPid());
  }
});

test('a lost connection fails all that are in line, and the next one is answered by another', async () => {
  const failures = Promise.all([inLine(waiting), inLine(own)].map(isAway));
  const lost = await eventually(waitingPid);
  await holder.query('SELECT pg_terminate_backend($1)', [lost]);
  expect(await failures).toEqual([true, true]);
  expect(await pidOf(inLine(own))).not.toBe(lost);
});

test('where there is no PostgreSQL all that are in line fail, and so do the next', async () => {
  const gone = createStatements({ connectionString: 'postgres://127.0.0.1:1/x' }, null);
  for (let round = 0; round < 2; round++) {
    const asked = Array.from({ length: 3 }, () => isAway(gone.runInLine(own)));
    expect(await Promise.all(asked)).toEqual([true, true, true]);
  }
  await gone.close();
});
