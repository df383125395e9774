import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, explainFileError, FolderInUseError } from './errors.js';
import { openServer, type Server } from './server.js';

/** The process that has claimed a folder. Its address is null when it is too long to be known. */
type Claimant = Readonly<{ address: string | null }>;

/** A running embedded PostgreSQL that this process shares with other Formgate processes on the same folder. */
export interface Cluster {
  /** Connection URL of the database `formgate`. */
  readonly url: string;
  /** Builds the connection URL of another database, without creating the database. */
  urlOf(database: string): string;
  /**
   * Claims the folder for the one Formgate process that serves from it, until release.
   *
   * @param address the process's address, for the error message of a second claim.
   * @throws FolderInUseError when another has claimed it.
   */
  claim(address: string): Promise<void>;
  /** Reads which process has claimed the folder; null when there is none. */
  readClaimant(): Promise<Claimant | null>;
  /** Leaves the cluster; the last process to leave stops the server and waits for its end. Never throws twice. */
  release(): Promise<void>;
}

const DATABASE = 'formgate';

/** The database of the advisory locks: locks belong to one database, and this one always exists. */
const LOCK_DATABASE = 'postgres';
/** Advisory lock: shared for each process that uses the server, exclusive for the one that stops it. */
const USERS_LOCK = 0x66676001;
/** Advisory lock of the process that serves from the folder. */
const CLAIM_LOCK = 0x66676002;
/** Maximum wait for the claim, because the server notices the end of a killed process with a delay. */
const CLAIM_PATIENCE_MS = 500;

/** Bytes at which PostgreSQL cuts an application's name. */
const MAX_NAME_BYTES = 63;

const JOIN_TIMEOUT_MS = 60_000;
const RETRY_MS = 50;
const REJOIN_PAUSE_MS = 1_000;

const LOCK_NOT_AVAILABLE = '55P03';
const ALREADY_CREATED = new Set(['42P04', '23505']);

type Options = Readonly<{
  /** Directory of the cluster, for instance `.data/postgres`. */
  directory: string;
  /** PostgreSQL settings for a server that this call starts. */
  settings?: Record<string, string>;
  /** Logs later events of the server. */
  log?(message: string): void;
}>;

/**
 * Opens the embedded PostgreSQL of a folder: creates it the first time, adopts the server if one runs, else
 * starts it. The server outlives a killed process; the next process to open the folder adopts it.
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
type ServerLock = Readonly<{ client: pg.Client; port: number; url: string }>;

async function share(server: Server, log: (message: string) => void): Promise<Cluster> {
  let lock = await acquireServerLock(server);
  let claimedAddress: string | undefined;
  let rejoining: Promise<void> | undefined;
  let releasing: Promise<void> | undefined;
  const { url } = lock;

  /** Reconnects after a crash of the server, which loses the locks: without them another process could stop it. */
  function watchServerLock(): void {
    lock.client.once('end', () => {
      if (!releasing) rejoining = rejoin();
    });
  }

  async function rejoin(): Promise<void> {
    log('The embedded PostgreSQL has gone away; bringing it back.');
    for (; !releasing; await pause(REJOIN_PAUSE_MS)) {
      try {
        lock = await acquireServerLock(server, lock.port);
        watchServerLock();
        if (claimedAddress !== undefined) {
          await claim(lock.client, server.name, claimedAddress).catch((error: Error) => log(error.message));
        }
        const where = lock.url === url ? '' : ' on another port; restart Formgate';
        return log(`The embedded PostgreSQL is back${where}.`);
      } catch (error) {
        log(`The embedded PostgreSQL does not come back: ${(error as Error).message}`);
      }
    }
  }

  watchServerLock();
  return {
    url,
    urlOf: (database) => inDatabase(url, database),
    async claim(address) {
      await claim(lock.client, server.name, address);
      claimedAddress = address;
    },
    readClaimant: () => readClaimant(lock.client),
    release() {
      releasing ??= (async () => {
        await rejoining;
        await leave(lock.client, server);
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

/** Takes a shared lock on the server, and starts the server if necessary, even while it is stopping. */
async function acquireServerLock(server: Server, preferredPort?: number): Promise<ServerLock> {
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

/** Whether the connection failed because the server was stopping (SQLSTATE 57P01 to 57P03). */
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

async function readClaimant(client: pg.Client): Promise<Claimant | null> {
  const {
    rows: [holder],
  } = await client.query<{ address: string }>(
    `SELECT application_name AS address
       FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = $1`,
    [CLAIM_LOCK],
  );
  return holder ? { address: holder.address.length < MAX_NAME_BYTES ? holder.address : null } : null;
}

/** Claims the folder; the connection's application name carries the address for other processes to read. */
async function claim(client: pg.Client, directory: string, address: string): Promise<void> {
  await client.query(`SELECT set_config('application_name', $1, false)`, [address]);
  await client.query(`SET lock_timeout = ${CLAIM_PATIENCE_MS}`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [CLAIM_LOCK]);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new FolderInUseError(dirname(directory), (await readClaimant(client))?.address ?? '');
  } finally {
    await client.query('RESET lock_timeout');
  }
}

async function leave(client: pg.Client, server: Server): Promise<void> {
  try {
    await client.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    // Under the exclusive lock processes that join wait until the server has ended, and their wait with it.
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
      USERS_LOCK,
    ]);
    if (rows[0]?.last) await server.stop();
  } catch (error) {
    // A server that has already ended needs no stop.
    if (!isServerGone(error) || error instanceof EmbeddedPostgresError) throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
