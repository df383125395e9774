import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Cluster, openCluster } from '../../../src/embedded/postgres/cluster.js';
import { EmbeddedPostgresError, FolderInUseError } from '../../../src/embedded/postgres/errors.js';
import { eventually } from '../../support/wait.js';

const FAST = { fsync: 'off' };
const COMPILED = new URL('../../../dist/modules/embedded/postgres/cluster.js', import.meta.url).href;

let base: string;
let directory: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "formgate's $cluster-"));
  directory = join(base, '.data/postgres');
});
afterAll(() => rm(base, { recursive: true, force: true }));

const open = (at = directory) => openCluster({ directory: at, settings: FAST });

async function ask<T>(url: string, sql: string): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0] as T;
  } finally {
    await client.end();
  }
}

const startTime = (cluster: Cluster) =>
  ask<Date>(cluster.url, 'SELECT pg_postmaster_start_time()').then((at) => at.getTime());

const serverPid = async () =>
  Number((await readFile(join(directory, 'data/postmaster.pid'), 'utf8')).split('\n')[0]);

const isRunning = () =>
  stat(join(directory, 'data/postmaster.pid')).then(
    () => true,
    () => false,
  );

/** Another process that holds the cluster open until it is killed. */
async function spawnUser(): Promise<ChildProcess> {
  const script = `
    const { openCluster } = await import(${JSON.stringify(COMPILED)});
    const cluster = await openCluster({ directory: ${JSON.stringify(directory)}, settings: { fsync: 'off' } });
    await cluster.claim('http://127.0.0.1:3999');
    console.log('open');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('the embedded PostgreSQL', () => {
  test('is one server for concurrent processes, and stops with the last of them', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    expect(one.url).toBe(other.url);
    // Below the ports of outgoing connections, of which one could be connected to itself.
    expect(Number(new URL(one.url).port)).toBeLessThan(30_000);
    expect(await ask(one.url, `SELECT current_database() || ' ' || current_setting('server_encoding')`)).toBe(
      'formgate UTF8',
    );
    expect(await readdir(join(base, '.data'))).toEqual(['postgres']);

    await one.release();
    await one.release();
    expect(await ask(other.url, 'SELECT 1')).toBe(1);
    await other.release();
    expect(await isRunning()).toBe(false);
  });

  test('keeps its data, and refuses connections without the password', async () => {
    const before = await open();
    await ask(before.url, 'CREATE TABLE kept AS SELECT 42 AS value');
    await before.release();

    const after = await open();
    expect(await ask(after.url, 'SELECT value FROM kept')).toBe(42);
    const guess = new URL(after.url);
    guess.password = 'guess';
    await expect(ask(guess.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
    await after.release();
  });

  test('starts again for a process that opens it while it stops', async () => {
    for (let round = 0; round < 3; round++) {
      const first = await open();
      const [second] = await Promise.all([open(), first.release()]);
      expect(await ask(second.url, 'SELECT 1')).toBe(1);
      await second.release();
    }
  });

  test('refuses the second Formgate of a folder and names the first', async () => {
    const first = await open();
    const second = await open();
    await first.claim('http://127.0.0.1:3001');
    const refused = second.claim('http://127.0.0.1:3002');
    await expect(refused).rejects.toBeInstanceOf(FolderInUseError);
    await expect(refused).rejects.toThrow(/already using .*\.data; it answers at http:\/\/127\.0\.0\.1:3001/);
    await first.release();
    await second.claim('http://127.0.0.1:3002');
    await second.release();
  });

  test('survives the kill -9 of a process, whose locks are released', async () => {
    const user = await spawnUser();
    const pid = await serverPid();
    await killed(user);
    const next = await open();
    expect(await serverPid()).toBe(pid);
    await next.claim('http://127.0.0.1:3003');
    await next.release();
    expect(await isRunning()).toBe(false);
  });

  test('is restarted at its former address, with its claim, when it is killed', async () => {
    const cluster = await open();
    await cluster.claim('http://127.0.0.1:3004');
    const started = await startTime(cluster);
    process.kill(await serverPid(), 'SIGKILL');
    await eventually(() =>
      startTime(cluster).then(
        (at) => at > started,
        () => false,
      ),
    );
    const other = await open();
    expect(other.url).toBe(cluster.url);
    await eventually(() =>
      other.claim('').then(
        () => false,
        () => true,
      ),
    );
    await Promise.all([other.release(), cluster.release()]);
    expect(await isRunning()).toBe(false);
  });

  test('starts although its stale lock file names a living process', async () => {
    const user = await spawnUser();
    const file = join(directory, 'data/postmaster.pid');
    const pid = await serverPid();
    const lock = await readFile(file, 'utf8');
    await killed(user);
    process.kill(pid, 'SIGKILL');
    const bystander = spawn('sleep', ['60']);
    await writeFile(file, lock.replace(/^\d+/, String(bystander.pid)));
    const cluster = await open();
    expect(await ask(cluster.url, 'SELECT 1')).toBe(1);
    await cluster.release();
    await killed(bystander);
  });

  test('clears away an interrupted set-up', async () => {
    await mkdir(`${directory}.init-abandoned/data`, { recursive: true });
    await (await open()).release();
    expect(await readdir(join(base, '.data'))).toEqual(['postgres']);
  });

  test('says in one sentence why a folder cannot be used', async () => {
    const failure = (at: string) =>
      open(at).then(
        () => 'opened',
        (error) => (error instanceof EmbeddedPostgresError ? error.message : error),
      );
    await mkdir(join(base, 'old/data'), { recursive: true });
    await writeFile(join(base, 'old/data/PG_VERSION'), '15\n');
    expect(await failure(join(base, 'old'))).toMatch(/was made by PostgreSQL 15, .* brings PostgreSQL 18/);

    await mkdir(join(base, 'photos'));
    await writeFile(join(base, 'photos/cat.jpg'), '');
    expect(await failure(join(base, 'photos'))).toMatch(/holds something else/);
    expect(await failure(join(base, 'photos/cat.jpg/postgres'))).toMatch(/a file stands in its way/);

    const misconfigured = openCluster({ directory, settings: { max_connections: 'many' } });
    await expect(misconfigured).rejects.toThrow(
      /does not start: invalid value for parameter "max_connections"/,
    );
  });
});
