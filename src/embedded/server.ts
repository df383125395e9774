import { once } from 'node:events';
import { chown, open, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { alone } from './alone.js';
import type { Binaries } from './binaries.js';
import { type DataFolder, initialise } from './data-folder.js';
import { EmbeddedPostgresError, explainComplaint } from './errors.js';
import { type Launcher, launch } from './launcher.js';
import { disarmStaleLock, findPostmaster, lastPort } from './postmaster.js';

/** All that is needed to bring up the server of one data folder. */
export interface ServerSetup {
  folder: DataFolder;
  binaries: Binaries;
  launcher: Launcher;
  /** PostgreSQL settings; they count for the process that starts the server, not for one that joins it. */
  settings: Record<string, string>;
}

export const HOST = '127.0.0.1';

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;
const POLL_MS = 15;
const LOG_LIMIT_BYTES = 1_000_000;

const DEFAULT_SETTINGS = {
  listen_addresses: HOST,
  // A socket's path is limited to 107 bytes, which a deep folder exceeds.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements that fail would put visitors' data into the log.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** A start that failed only because another server is starting, or its remains are still going. */
const PASSING = /lock file .* (already exists|is empty)|shared memory block|could not (bind|create any TCP)/;

/**
 * Makes sure that a server runs on the folder and takes connections, and returns its port. Adopts the one
 * that runs, waits for one that starts or stops, and otherwise starts one, on the preferred port if free.
 *
 * @throws EmbeddedPostgresError when it cannot be started.
 */
export function ensureServer(setup: ServerSetup, preferredPort?: number): Promise<number> {
  const { folder, binaries, launcher, settings } = setup;
  return alone(folder.root, async () => {
    await initialise(folder, binaries, launcher, { sync: settings.fsync !== 'off' });
    const deadline = Date.now() + START_TIMEOUT_MS;
    let attempt: Attempt | undefined;
    while (Date.now() < deadline) {
      const postmaster = await findPostmaster(folder);
      if (postmaster?.ready) return postmaster.port;
      if (attempt?.failure) {
        if (!PASSING.test(attempt.failure)) throw startFailure(folder, attempt.failure);
        attempt = undefined;
      } else if (!postmaster && !attempt) {
        attempt = await start(setup, preferredPort ?? (await lastPort(folder)));
      }
      await pause(POLL_MS);
    }
    throw new EmbeddedPostgresError(
      `PostgreSQL in ${folder.name} has not become ready within ${START_TIMEOUT_MS / 1000} seconds; ${folder.log} says why.`,
    );
  });
}

interface Attempt {
  /** Why the server ended; absent while it lives. */
  failure?: string;
}

async function start(setup: ServerSetup, preferredPort: number | undefined): Promise<Attempt> {
  const { folder, binaries, launcher } = setup;
  await disarmStaleLock(folder);
  const settings = { ...DEFAULT_SETTINGS, ...setup.settings, port: String(await freePort(preferredPort)) };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await openLog(folder, launcher);
  const { size } = await log.stat();
  // Detached, so that Ctrl-C in the terminal does not end the database before those who still use it.
  const child = launch(launcher, binaries.postgres, ['-D', folder.data, ...options], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  child.unref();
  const attempt: Attempt = {};
  // Before anything is waited for: a server that cannot start may have ended by then.
  once(child, 'exit')
    .then(([code]) => lastComplaint(folder, size, code))
    .catch((error: Error) => error.message)
    .then((failure) => {
      attempt.failure = failure;
    });
  await log.close();
  return attempt;
}

async function openLog({ log }: DataFolder, { owner }: Launcher) {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
  const handle = await open(log, 'a+', 0o600);
  if (owner) await chown(log, owner.uid, owner.gid);
  return handle;
}

async function lastComplaint({ log }: DataFolder, since: number, code: number): Promise<string> {
  const handle = await open(log);
  try {
    const lines = (await handle.readFile()).subarray(since).toString().split('\n');
    return lines.findLast((line) => /FATAL|PANIC|error/.test(line)) ?? `it ended with code ${code}`;
  } finally {
    await handle.close();
  }
}

function startFailure(folder: DataFolder, complaint: string): EmbeddedPostgresError {
  const reason = complaint.replace(/^.*?(FATAL|PANIC):\s*/, '');
  return explainComplaint(complaint, folder.name, `PostgreSQL in ${folder.name} does not start: ${reason}`);
}

/** The wanted port of the loopback address if it is free, else any that is. */
async function freePort(wanted = 0): Promise<number> {
  const probe = createServer();
  try {
    probe.listen(wanted, HOST);
    await once(probe, 'listening');
    return (probe.address() as { port: number }).port;
  } catch {
    return freePort();
  } finally {
    probe.close();
  }
}

/** Stops the server of a folder and waits for its end; connections that are still open are cut. */
export async function stopServer(folder: DataFolder): Promise<void> {
  const postmaster = await findPostmaster(folder);
  if (!postmaster) return;
  process.kill(postmaster.pid, 'SIGINT');
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while ((await findPostmaster(folder))?.pid === postmaster.pid) {
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(`PostgreSQL in ${folder.name} does not stop; ${folder.log} says why.`);
    }
    await pause(POLL_MS);
  }
}
