import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { openServer, type Server } from '../../../src/embedded/postgres/server.js';
import { eventually } from '../../support/wait.js';

let base: string;
let data: string;
let lockFile: string;
let server: Server;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'formgate-server-'));
  data = join(base, 'postgres/data');
  lockFile = join(data, 'postmaster.pid');
  server = await openServer(join(base, 'postgres'), { fsync: 'off' });
});
afterAll(async () => {
  await server.stop();
  await rm(base, { recursive: true, force: true });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Asks the server on a port for its main process. */
async function processOn(port: number): Promise<number> {
  const client = new pg.Client({ connectionString: await server.urlOf('postgres', port) });
  await client.connect();
  const { rows } = await client.query(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
  );
  await client.end();
  return rows[0].pid;
}

const { platform } = process;
const pretend = (value: string) => void Object.defineProperty(process, 'platform', { value });

describe('on a system whose processes do not tell how they were started', () => {
  let bystander: ReturnType<typeof spawn>;

  beforeEach(() => {
    pretend('darwin');
  });
  afterEach(() => {
    bystander?.kill('SIGKILL');
    jest.restoreAllMocks();
    pretend(platform);
  });

  /**
   * Ends the server as a power cut does, and gives its pid to another program of the same account.
   *
   * @param state What the lock file says of the server.
   * @returns the other program's pid.
   */
  async function cutPower(state: 'ready   ' | 'starting'): Promise<number> {
    await server.ensure();
    const lock = await readFile(lockFile, 'utf8');
    const pid = Number.parseInt(lock, 10);
    process.kill(pid, 'SIGKILL');
    await eventually(() => !isAlive(pid));
    const { uid, gid } = await stat(data);
    bystander = spawn('sleep', ['600'], { uid, gid });
    await writeFile(lockFile, lock.replace(/^\d+/, String(bystander.pid)).replace('ready   ', state));
    return bystander.pid!;
  }

  test('a running server is found, and stopped', async () => {
    const port = await server.ensure();
    expect(await server.find()).toMatchObject({ pid: await processOn(port), port, isReady: true });
    expect(await server.ensure()).toBe(port);
    await server.stop();
    expect(await server.find()).toBeUndefined();
  });

  test('a living process in the lock file is not the server when the port refuses connections', async () => {
    const other = await cutPower('ready   ');
    expect(await server.find()).toBeUndefined();
    const port = await server.ensure();
    expect(await processOn(port)).not.toBe(other);
    expect(isAlive(other)).toBe(true);
  });

  test('a living process in the lock file is not the server when another account runs it', async () => {
    const other = await cutPower('starting');
    expect(await server.find()).toMatchObject({ pid: other, isReady: false });
    const kill = process.kill.bind(process);
    jest.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (pid === other) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      return kill(pid, signal);
    });
    expect(await server.find()).toBeUndefined();
    expect(await processOn(await server.ensure())).not.toBe(other);
  });
});
