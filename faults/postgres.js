import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { loadBinaries } from '../dist/embedded/binaries.js';
import { locateFolder, ROLE } from '../dist/embedded/data-folder.js';
import { chooseLauncher } from '../dist/embedded/launcher.js';
import { findPostmaster } from '../dist/embedded/postmaster.js';
import { ensureServer, stopServer } from '../dist/embedded/server.js';
import { freePort, until } from './processes.js';

/** A real PostgreSQL with its default care for the disk, to be killed, stopped and started at will. */
export async function createPostgres(directory) {
  const [binaries, folder] = await Promise.all([loadBinaries(), locateFolder(join(directory, 'postgres'))]);
  const launcher = await chooseLauncher(folder.root, binaries.postgres);
  const setup = { folder, binaries, launcher, settings: { max_connections: '200' } };
  const port = await ensureServer(setup, await freePort());
  const password = (await readFile(folder.password, 'utf8')).trim();
  const url = `postgres://${ROLE}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
  let pool;

  return {
    name: 'postgres',
    url,
    start: () => ensureServer(setup, port),
    async kill() {
      const postmaster = await findPostmaster(folder);
      if (!postmaster) return;
      process.kill(postmaster.pid, 'SIGKILL');
      await until('PostgreSQL dies', async () => (await findPostmaster(folder)) === undefined);
    },
    stop: () => stopServer(folder),
    isRunning: async () => (await findPostmaster(folder)) !== undefined,
    /** Asks the database, also when it has been away in between. */
    async query(text, values = []) {
      pool ??= new pg.Pool({ connectionString: url, max: 2 }).on('error', () => undefined);
      return (await pool.query(text, values)).rows;
    },
    async close() {
      await pool?.end();
      await stopServer(folder);
    },
  };
}
