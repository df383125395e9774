import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../dist/modules/embedded/free-port.js';
import { createSessions } from './postgres.js';
import { until } from './processes.js';

/** Where Debian has the programs of each version of PostgreSQL. */
const VERSIONS = '/usr/lib/postgresql';

/** Formgate needs this version at least. */
const OLDEST = 15;

const run = promisify(execFile);

/** PostgreSQL refuses to run as root. */
async function findAccount() {
  if (process.getuid() !== 0) return {};
  const idOf = async (flag) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

/** Finds the folder with the server and the clients of the newest PostgreSQL of this machine; null: it has none. */
export async function findMachinePrograms() {
  const versions = (await readdir(VERSIONS).catch(() => [])).map(Number).filter((each) => each >= OLDEST);
  for (const version of versions.sort((one, other) => other - one)) {
    const bin = join(VERSIONS, String(version), 'bin');
    const names = await readdir(bin).catch(() => []);
    if (['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => names.includes(name))) return bin;
  }
  return null;
}

/** Starts the PostgreSQL of this machine, in a folder of its own that its account may read. */
export async function createMachinePostgres(bin) {
  const account = await findAccount();
  const folder = await mkdtemp(join(tmpdir(), 'formgate-machine-'));
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid);
  const where = { ...account, cwd: folder };
  await run(join(bin, 'initdb'), ['-D', 'data', '-U', 'postgres', '--auth=trust', '--no-sync'], where);
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'max_connections=200',
  ];
  const args = ['-D', 'data', ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(bin, 'postgres'), args, { ...where, stdio: 'ignore' });
  const exited = once(server, 'exit');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const { close, ...sessions } = createSessions(url);
  await until('PostgreSQL answers', () => sessions.query('SELECT 1'));
  return {
    name: 'postgres',
    url,
    ...sessions,
    async close() {
      await close();
      server.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
