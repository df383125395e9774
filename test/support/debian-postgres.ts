import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from './wait.js';

/** Programs of the server of the same version as the clients on the PATH; a client refuses to dump a newer server. */
const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
const SERVER = `/usr/lib/postgresql/${/\d+/.exec(stdout ?? '')?.[0]}/bin`;

export const INITDB = join(SERVER, 'initdb');

/** PostgreSQL refuses to run as root. */
function findAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

export type DebianPostgres = Readonly<{
  /**
   * For `psql` and its like, as the account `postgres` of a Debian server has them: by the socket, without password.
   */
  env: Record<string, string>;
  port: number;
  stop(): Promise<void>;
}>;

/** Starts the PostgreSQL that a Debian server has: a new cluster that trusts its socket and asks TCP for passwords. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const account = findAccount();
  const folder = await mkdtemp(join(tmpdir(), 'debian-'));
  if (account) await chown(folder, account.uid, account.gid);
  const where = { ...account, cwd: folder };
  const trust = ['--auth-local=trust', '--auth-host=scram-sha-256'];
  execFileSync(INITDB, ['-D', 'data', '-U', 'postgres', '--no-sync', ...trust], {
    ...where,
    stdio: 'pipe',
  });
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    `port=${port}`,
    'fsync=off',
  ];
  const args = ['-D', 'data', ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(SERVER, 'postgres'), args, { ...where, stdio: 'ignore' });
  const exited = once(server, 'exit');
  const env = { PGHOST: folder, PGPORT: String(port), PGUSER: 'postgres' };
  await eventually(() => {
    try {
      return execFileSync('pg_isready', { env: { ...process.env, ...env } });
    } catch {
      return null;
    }
  });
  return {
    env,
    port,
    async stop() {
      server.kill('SIGINT');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}
