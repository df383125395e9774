import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, explainFileError, FolderInUseError } from './errors.js';
import { openServer, type Server } from './server.js';

/** A running embedded PostgreSQL that this process shares with the other Formgates of the same folder. */
export interface Cluster {
  /** Connection URL of the database `formgate`. */
  readonly url: string;
  /** Connection URL of another database, which this does not create. */
  urlOf(database: string): string;
  /**
   * Claims the folder for the one Formgate that serves from it, until release.
   *
   * @param address where it serves, told to whoever comes second.
   * @throws FolderInUseError when another has claimed it.
   */
  claim(address: string): Promise<void>;
  /** Leaves the cluster; the last one out stops the server and waits for its end. Never throws twice. */
  release(): Promise<void>;
}

const DATABASE = 'formgate';

/** Advisory locks belong to one database; this one is always there. */
const LOCK_DATABASE = 'postgres';
/** Held shared by each process that uses the server, and exclusively by the one that stops it. */
const USERS_LOCK = 0x66676001;
/** Held by the Formgate that serves from the folder. */
const CLAIM_LOCK = 0x66676002;
/** The server takes a moment to notice that a killed Formgate has gone. */
const CLAIM_PATIENCE_MS = 500;

const JOIN_TIMEOUT_MS = 60_000;
const RETRY_MS = 50;
const REJOIN_PAUSE_MS = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';
const ALREADY_CREATED = new Set(['42P04', '23505']);

type Options = Readonly<{
  /** Of the cluster, for instance `.data/postgres`. */
  directory: string;
  /** PostgreSQL settings for a server that this call starts. */
  settings?: Record<string, string>;
  /** Receives what happens to the server later on. */
  log?(message: string): void;
}>;

/**
 * Opens the embedded PostgreSQL of a folder: creates it the first time, adopts the server if one runs, else
 * starts it. The server outlives a process that is killed; the next to open the folder adopts it.
 *
 * @throws EmbeddedPostgresError with a message for the user.
 */
export async function openCluster({ directory, settings, log = () => undefined }: Options): Promise<Cluster> {
  try {
    return await share(await openServer(resolve(directory), settings), log);
  } catch (error) {
    throw explainFileError(error, directory);
  }
}

/** The connection that holds this process's locks on a server. */
type Seat = Readonly<{ client: pg.Client; port: number; url: string }>;

async function share(server: Server, log: (message: string) => void): Promise<Cluster> {
  let seat = await takeSeat(server);
  let claimedAddress: string | undefined;
  let rejoining: Promise<void> | undefined;
  let releasing: Promise<void> | undefined;
  const { url } = seat;

  /** A server that crashed took the locks along; without them, others could stop it under this process. */
  function keepSeat(): void {
    seat.client.once('end', () => {
      if (!releasing) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    log('The embedded PostgreSQL has gone away; bringing it back.');
    for (; !releasing; await pause(REJOIN_PAUSE_MS)) {
      try {
        seat = await takeSeat(server, seat.port);
        keepSeat();
        if (claimedAddress !== undefined) {
          await claim(seat.client, server.name, claimedAddress).catch((error: Error) => log(error.message));
        }
        const where = seat.url === url ? '' : ' on another port; restart Formgate';
        return log(`The embedded PostgreSQL is back${where}.`);
      } catch (error) {
        log(`The embedded PostgreSQL does not come back: ${(error as Error).message}`);
      }
    }
  }

  keepSeat();
  return {
    url,
    urlOf: (database) => inDatabase(url, database),
    async claim(address) {
      await claim(seat.client, server.name, address);
      claimedAddress = address;
    },
    release() {
      releasing ??= (async () => {
        await rejoining;
        await leave(seat.client, server);
      })();
      return releasing;
    },
  };
}

function inDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Joins the users of the server, starting it if need be, also when it stops at this very moment. */
async function takeSeat(server: Server, preferredPort?: number): Promise<Seat> {
  for (const deadline = Date.now() + JOIN_TIMEOUT_MS; ; await pause(RETRY_MS)) {
    const port = await server.ensure(preferredPort);
    const url = await server.urlOf(DATABASE, port);
    const client = new pg.Client({ connectionString: inDatabase(url, LOCK_DATABASE), keepAlive: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
      await ensureDatabase(client);
      return { client, port, url };
    } catch (error) {
      client.end().catch(() => undefined);
      if (isServerGone(error) && Date.now() < deadline) continue;
      const { message } = error as Error;
      throw new EmbeddedPostgresError(`PostgreSQL in ${server.name} cannot be used: ${message}`);
    }
  }
}

/** Whether the connection failed because the server was stopping; SQLSTATE 57P01 to 57P03 say so. */
function isServerGone(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || error.code?.startsWith('57P') === true;
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount) return;
  await client.query(`CREATE DATABASE ${DATABASE}`).catch((error: pg.DatabaseError) => {
    if (!ALREADY_CREATED.has(error.code ?? '')) throw error;
  });
}

/** The claim's connection carries the address as its application name, where the refused one reads it. */
async function claim(client: pg.Client, directory: string, address: string): Promise<void> {
  await client.query(`SET lock_timeout = ${CLAIM_PATIENCE_MS}`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [CLAIM_LOCK]);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    const { rows } = await client.query<{ address: string }>(
      `SELECT application_name AS address
         FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
      [CLAIM_LOCK],
    );
    throw new FolderInUseError(dirname(directory), rows[0]?.address ?? '');
  } finally {
    await client.query('RESET lock_timeout');
  }
  await client.query(`SELECT set_config('application_name', $1, false)`, [address]);
}

async function leave(client: pg.Client, server: Server): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    // Who holds this lock keeps newcomers waiting until the server, and their wait with it, has ended.
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
      USERS_LOCK,
    ]);
    if (rows[0]?.last) await server.stop();
  } catch (error) {
    // A server that is gone needs no stopping.
    if (!isServerGone(error) || error instanceof EmbeddedPostgresError) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
