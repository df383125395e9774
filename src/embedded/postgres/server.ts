import { once } from 'node:events';
import { type FileHandle, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-port.js';
import { EmbeddedPostgresError, explainComplaint } from './errors.js';
import { loadPrograms } from './programs.js';
import { ROLE, setUp } from './set-up.js';

/** PostgreSQL's main process on the folder; it is not ready while it starts, recovers or stops. */
type Postmaster = Readonly<{ pid: number; port: number; isReady: boolean }>;

/** An attempt to start a server; the failure is the reason of its end, and is absent while it runs. */
type Attempt = { failure?: string };

/** The PostgreSQL server of a data folder, whether it runs or not. */
export type Server = Readonly<{
  /** The folder as the user named it, for messages. */
  name: string;
  /** Finds the process that runs on the folder, and ignores a stale lock file. */
  find(): Promise<Postmaster | undefined>;
  /**
   * Ensures that a server runs and accepts connections, and returns its port. It adopts a running server, waits
   * for one that is starting or stopping, and otherwise starts one, on the preferred port if it is free.
   *
   * @throws EmbeddedPostgresError when it cannot be started.
   */
  ensure(preferredPort?: number): Promise<number>;
  /** Builds the connection URL of a database. */
  urlOf(database: string, port: number): Promise<string>;
  /** Stops the server if it runs, and waits for its end; open connections are terminated. */
  stop(): Promise<void>;
}>;

const HOST = '127.0.0.1';
const START_TIMEOUT_S = 120;
const STOP_TIMEOUT_S = 60;
const POLL_MS = 20;
/** Within this time a port that nothing listens on refuses a connection, also on Windows, which tries again for 2 s. */
const CONNECT_TIMEOUT_MS = 5_000;
const LOG_LIMIT_BYTES = 1_000_000;

const DEFAULT_SETTINGS = {
  listen_addresses: HOST,
  // A socket's path is limited to 107 bytes, which a deep folder exceeds.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Logging failed statements would write visitors' data to the log.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  // `start` and its queues may need more than the 100 of PostgreSQL's own.
  max_connections: '200',
};

/** Matches the errors of a start that fails only while another server is starting or ending. */
const PASSING = /lock file .* (already exists|is empty)|shared memory block|could not (bind|create any TCP)/;

/** Matches what processes of a server that was killed log when they end, which is no complaint of the next one. */
const ORPHANED = /unexpected postmaster exit/;

/** Prepares the server of a folder; neither the folder nor the server needs to exist. */
export async function openServer(name: string, settings: Record<string, string> = {}): Promise<Server> {
  await mkdir(dirname(name), { recursive: true });
  const root = await realpath(name).catch(async () => join(await realpath(dirname(name)), basename(name)));
  const programs = await loadPrograms(root);
  const data = join(root, 'data');
  const lock = join(data, 'postmaster.pid');
  const log = join(root, 'server.log');

  /** Reads PostgreSQL's lock file; its lines are pid, folder, start time, port, … and, eighth, the state. */
  async function readLock(): Promise<string[] | undefined> {
    return (await readFile(lock, 'utf8').catch(ignoring('ENOENT')))?.split('\n');
  }

  async function find(): Promise<Postmaster | undefined> {
    const lines = await readLock();
    const pid = Number(lines?.[0]);
    if (!lines || !(pid > 0)) return undefined;
    const postmaster = { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === 'ready' };
    return (await serves(postmaster, data)) ? postmaster : undefined;
  }

  async function openLog(): Promise<FileHandle> {
    const size = (await stat(log).catch(ignoring('ENOENT')))?.size ?? 0;
    if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
    const file = await open(log, 'a+', 0o600);
    if (programs.owner) await file.chown(programs.owner.uid, programs.owner.gid);
    return file;
  }

  /** Reads the last error in the log after a position. */
  async function complaintSince(position: number): Promise<string | undefined> {
    const lines = (await readFile(log)).subarray(position).toString().split('\n');
    return lines.findLast((line) => /FATAL|PANIC|error/.test(line) && !ORPHANED.test(line));
  }

  /** Starts the server, on the preferred port or else its last port, if that port is free. */
  async function start(preferredPort: number | undefined): Promise<Attempt> {
    const stale = await readLock();
    const port = await freePort(preferredPort ?? (Number(stale?.[3]) || undefined));
    const options = Object.entries({ ...DEFAULT_SETTINGS, ...settings, port });
    const args = ['-D', data, ...options.flatMap(([key, value]) => ['-c', `${key}=${value}`])];
    const file = await openLog();
    const { size } = await file.stat();
    const server = programs.launch(args, ['ignore', file.fd, file.fd], await disarm(stale));
    server.unref();
    const attempt: Attempt = {};
    once(server, 'exit')
      .then(async ([code]) => (await complaintSince(size)) ?? `it ended with code ${code}`)
      .catch((error: Error) => error.message)
      .then((failure) => {
        attempt.failure = failure;
      });
    await file.close();
    return attempt;
  }

  /**
   * Keeps a dead server's lock file from blocking the next start, by an environment variable for the new server.
   *
   * PostgreSQL refuses to start while the pid in the file is alive, even as another program. Deleting the file is
   * unsafe, since it also identifies the shared memory that orphaned backends may still write through.
   * PostgreSQL ignores the pid of the process that runs pg_ctl, so the variable names the dead server's pid as that.
   */
  async function disarm(stale: readonly string[] | undefined): Promise<string[]> {
    // On Windows PostgreSQL itself tells its own processes from others.
    if (!stale || process.platform === 'win32') return [];
    if (Number(stale[0]) > 0) return [`PG_GRANDPARENT_PID=${Number(stale[0])}`];
    // An old empty file belongs to a server killed before filling it; a live server fills it at once.
    const { mtimeMs } = (await stat(lock).catch(ignoring('ENOENT'))) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > 1_000) await rm(lock, { force: true });
    return [];
  }

  return {
    name,
    find,
    async ensure(preferredPort) {
      await setUp({ name, root }, programs, { sync: settings.fsync !== 'off' });
      const deadline = Date.now() + START_TIMEOUT_S * 1_000;
      for (let attempt: Attempt | undefined; Date.now() < deadline; await pause(POLL_MS)) {
        const postmaster = await find();
        if (postmaster?.isReady) return postmaster.port;
        if (attempt?.failure) {
          if (!PASSING.test(attempt.failure)) throw startError(name, attempt.failure);
          attempt = undefined;
        } else if (!postmaster) {
          attempt ??= await start(preferredPort);
        }
      }
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${name} has not become ready within ${START_TIMEOUT_S} seconds; ${log} says why.`,
      );
    },
    async urlOf(database, port) {
      const password = (await readFile(join(root, 'password'), 'utf8')).trim();
      // Without sslmode, the environment's PGSSLMODE would apply.
      return `postgres://${ROLE}:${password}@${HOST}:${port}/${database}?sslmode=disable`;
    },
    async stop() {
      const stopping = await find();
      if (!stopping) return;
      process.kill(stopping.pid, 'SIGINT');
      const deadline = Date.now() + STOP_TIMEOUT_S * 1_000;
      while ((await find())?.pid === stopping.pid) {
        if (Date.now() > deadline) {
          throw new EmbeddedPostgresError(`PostgreSQL in ${name} does not stop; ${log} says why.`);
        }
        await pause(POLL_MS);
      }
    },
  };
}

const ignoring = (code: string) => (error: NodeJS.ErrnoException) => {
  if (error.code === code) return undefined;
  throw error;
};

/**
 * Whether the process is the server of this folder. Pids are reused, so a live pid proves nothing. On Linux every
 * account can read how a process was started, also in a container. Elsewhere it has to be a process that this account
 * may signal, and a server that is ready has to take connections.
 */
async function serves({ pid, port, isReady }: Postmaster, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return command.split('\0').includes(data);
  }
  try {
    process.kill(pid, 0);
  } catch {
    // EPERM too: the server runs as the folder's owner, and only that account and root can read the lock file.
    return false;
  }
  // A server that stops says so in the file before it closes its port.
  return !isReady || !(await refusesConnections(port));
}

/** Tells whether no process listens on a port of the loopback address. */
async function refusesConnections(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}

function startError(name: string, complaint: string): EmbeddedPostgresError {
  const reason = complaint.replace(/^.*?(FATAL|PANIC):\s*/, '');
  return explainComplaint(complaint, name, `PostgreSQL in ${name} does not start: ${reason}`);
}
