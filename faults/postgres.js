import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../dist/modules/embedded/free-port.js';
import { openServer } from '../dist/modules/embedded/postgres/server.js';
import { until } from './processes.js';

/** Sessions of a server for the harness itself. */
export function createSessions(url) {
  let pool;
  return {
    /** Asks the database, also when it has been away in between. */
    async query(text, values = []) {
      pool ??= new pg.Pool({ connectionString: url, max: 2 }).on('error', () => undefined);
      return (await pool.query(text, values)).rows;
    },
    /** Opens a session of its own, also in another database of the server. */
    async connect(connectionString = url) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      return client;
    },
    close: () => pool?.end(),
  };
}

/** A real PostgreSQL with its default care for the disk, to be killed, stopped and started at will. */
export async function createPostgres(directory) {
  const server = await openServer(join(directory, 'postgres'), { max_connections: '200' });
  const port = await server.ensure(await freePort());
  const url = await server.urlOf('postgres', port);
  const { close, ...sessions } = createSessions(url);

  return {
    name: 'postgres',
    url,
    // Processes of the server that was killed may hold its memory, and its port, for a moment.
    start: () =>
      until(
        'PostgreSQL is back on its port',
        async () => {
          if ((await server.ensure(port)) === port) return true;
          await server.stop();
          return false;
        },
        15_000,
      ),
    async kill() {
      const postmaster = await server.find();
      if (!postmaster) return;
      process.kill(postmaster.pid, 'SIGKILL');
      await until('PostgreSQL dies', async () => (await server.find()) === undefined);
    },
    stop: () => server.stop(),
    isRunning: async () => (await server.find()) !== undefined,
    ...sessions,
    async close() {
      await close();
      await server.stop();
    },
  };
}
