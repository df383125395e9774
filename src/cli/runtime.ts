import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, readSettings } from '../config.js';
import { isDatabaseAway, serverMessage } from '../db/database-errors.js';
import { migrate, migrationState } from '../db/migration/migrate.js';
import type { Embedded } from '../embedded/embedded.js';
import { StartError } from '../errors.js';
import { causeOf } from '../lib/telemetry/cause.js';
import { createLogger, type Logger } from '../lib/telemetry/logger.js';
import type { Services } from '../services.js';

/** The services of a command, and the embedded servers for what the environment leaves out. */
export type Runtime = Readonly<{
  services: Services;
  /** What the worker runs on: services without a timeout of statements, as in a process of its own. */
  workerServices: Services;
  embedded: Embedded | null;
  /** Names of the migrations that opening applied. */
  migrated: readonly string[];
  close(): Promise<void>;
}>;

type Options = Readonly<{
  /** Name of the process in the log. */
  process: string;
  /** Claim the data folder for this process (`start`). */
  exclusive?: boolean;
  /** Timeout of a statement, for processes in which a request waits for it. */
  statementTimeoutMs?: number;
  /** Whether a mail server is required. */
  mail?: boolean;
  /** Receives a line about each migration before it runs; without it the log does, unless the database is embedded. */
  announce?(line: string): void;
}>;

/** SQLSTATE of a login that is refused, a database that does not exist, or missing rights. */
const REFUSED = /^(28|3D|42501)/;

/** Causes that an answer of PostgreSQL names. */
const ANSWERED = ['read_only', 'disk_full', 'too_many_clients'];

function describeDatabase(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/** Says what is the matter with a PostgreSQL that cannot be worked with; null: the fault is another one. */
function matterOf(error: unknown): string | null {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (ANSWERED.includes(causeOf(error).cause)) return 'cannot be used';
  if (REFUSED.test(code)) return 'refuses';
  // The driver reads the certificates that the address names.
  if (syscall === 'open' || causeOf(error).cause.startsWith('tls_')) return 'cannot be used';
  return isDatabaseAway(error) ? 'is unreachable' : null;
}

/** Translates the error of a PostgreSQL that cannot be worked with into one sentence for the terminal. */
async function overDatabase<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = serverMessage(error as Error);
    const what = matterOf(error);
    if (what === null) throw error;
    const advice = message.includes('startup parameter') ? '. Behind a pooler set DIRECT_DATABASE_URL.' : '';
    throw new StartError(`PostgreSQL at ${describeDatabase(databaseUrl)} ${what}: ${message}${advice}`);
  }
}

type Foundation = Readonly<{ config: Config; log: Logger; embedded: Embedded | null }>;

/**
 * Refuses to make an embedded database for any process but `start`: leads would go unseen into a new database
 * because a variable was missing.
 *
 * @throws StartError for a gateway or worker, and for a command where `start` has made no database yet.
 */
function requireOwnDatabase(process: string, dataDir: string): void {
  if (process === 'start') return;
  if (process === 'gateway' || process === 'worker') {
    throw new StartError(
      `DATABASE_URL is required: a ${process} brings no database of its own. formgate start does.`,
    );
  }
  if (existsSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'))) return;
  throw new StartError(
    `There is no database: set DATABASE_URL, or run formgate start, which makes one in ${resolve(dataDir)}.`,
  );
}

/**
 * Closes the embedded servers of a command that a signal ends, which they would outlive; a second one ends it at once.
 */
function closeOnSignal(opening: Promise<Embedded>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      try {
        await (await opening).close();
      } finally {
        process.kill(process.pid, signal);
      }
    });
  }
}

/** Reads the environment and starts the embedded servers for what it leaves out. */
async function openFoundation(options: Options): Promise<Foundation> {
  const settings = readSettings();
  const log = createLogger(settings.logLevel, { process: options.process });
  if (!settings.embedded) return { config: settings, log, embedded: null };
  requireOwnDatabase(options.process, settings.dataDir);
  const { openEmbedded } = await import('../embedded/embedded.js');
  const opening = openEmbedded(settings, { ...options, log });
  // `start` stops in its own order.
  if (options.process !== 'start') closeOnSignal(opening);
  const embedded = await opening;
  return { config: embedded.config, log, embedded };
}

async function migrateAll(
  { directDatabaseUrl, redisUrl }: Config,
  log: Logger,
  announce: (line: string) => void,
): Promise<string[]> {
  const applied = await migrate(directDatabaseUrl, { log, announce });
  if (!redisUrl) await (await import('../queue/postgres-queues.js')).migrateQueues(directDatabaseUrl);
  if (applied.length > 0) log.info({ applied }, 'Database migrated');
  return applied;
}

/** Lets a Redis that is away return later. @throws StartError when it lacks the database of REDIS_URL. */
async function requireRedisDatabase({ queues }: Services): Promise<void> {
  await queues.connect().catch((error) => {
    if (error instanceof StartError) throw error;
  });
}

/** Runs work on the database as it stands, without migrating it. */
export async function withDatabase(
  options: Options,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const { config, embedded } = await openFoundation(options);
  try {
    await overDatabase(config.directDatabaseUrl, () => work(config.directDatabaseUrl));
  } finally {
    await embedded?.close();
  }
}

/** Runs work with services over the database as it stands, without migrating it or requiring that it answers. */
export async function withUnchecked(
  options: Options,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  const { config, log, embedded } = await openFoundation(options);
  const { createServices } = await import('../services.js');
  const services = createServices(config, log, { isDiskFull: embedded?.disk?.isFull });
  try {
    await work(services);
  } finally {
    await services.close();
    await embedded?.close();
  }
}

/** Runs the work of a command that only reads, on a database that it neither migrates nor writes to. */
export async function withReadServices(
  command: string,
  work: (services: Services) => Promise<void>,
): Promise<void> {
  await withUnchecked({ process: command }, async (services) => {
    const { databaseUrl, directDatabaseUrl } = services.config;
    const { applied, pending } = await overDatabase(directDatabaseUrl, () =>
      migrationState(directDatabaseUrl),
    );
    if (pending.length > 0) {
      const lacks = `${pending.length} of ${applied.length + pending.length} migrations`;
      throw new StartError(`The database lacks ${lacks}. Run formgate migrate.`);
    }
    await overDatabase(databaseUrl, () => work(services));
  });
}

/**
 * Reads the environment, starts the embedded servers for what it leaves out, and migrates the database.
 *
 * @throws StartError with the reason of a failure; everything already started is stopped.
 */
export async function openRuntime(options: Options): Promise<Runtime> {
  const { config, log, embedded } = await openFoundation(options);
  try {
    const { statementTimeoutMs } = options;
    /** What an embedded database locks is of no concern, since no other process uses it. */
    const logLine = (line: string): void => {
      if (!embedded) log.info(line);
    };
    const announce = options.announce ?? logLine;
    const migrated = await overDatabase(config.directDatabaseUrl, () => migrateAll(config, log, announce));
    const { createServices } = await import('../services.js');
    const isDiskFull = embedded?.disk?.isFull;
    const services = createServices(config, log, { statementTimeoutMs, isDiskFull });
    const workerServices =
      options.process === 'start' ? createServices(config, log, { isDiskFull }) : services;
    const all = [...new Set([services, workerServices])];
    const close = () => Promise.all(all.map((each) => each.close()));
    try {
      for (const each of all) {
        await overDatabase(config.databaseUrl, each.appKeyCheck.verify);
        await requireRedisDatabase(each);
      }
    } catch (error) {
      await close();
      throw error;
    }
    return {
      services,
      workerServices,
      embedded,
      migrated,
      async close() {
        await close();
        await embedded?.close();
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}

/** Runs a command's work on the services, and closes them. */
export async function withServices(
  command: string,
  work: (services: Services, embedded: Embedded | null) => Promise<void>,
): Promise<void> {
  const runtime = await openRuntime({ process: command });
  const { config } = runtime.services;
  try {
    await overDatabase(config.databaseUrl, () => work(runtime.services, runtime.embedded));
  } finally {
    await runtime.close();
  }
}
