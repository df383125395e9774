import { type Config, readSettings } from '../config.js';
import { verifyAppKey } from '../db/app-key.js';
import { isDatabaseAway } from '../db/client.js';
import { migrate } from '../db/migration/migrate.js';
import type { Embedded } from '../embedded/embedded.js';
import { StartError } from '../errors.js';
import { createLogger, type Logger } from '../lib/logger.js';
import type { Services } from '../services.js';

/** What a command stands on: the services, and the embedded servers where the environment names none. */
export type Runtime = Readonly<{
  services: Services;
  embedded: Embedded | null;
  /** Names of the migrations that opening applied. */
  migrated: readonly string[];
  close(): Promise<void>;
}>;

type Options = Readonly<{
  /** In the log, to tell the processes apart. */
  process: string;
  /** Take the data folder for this process alone (`start`). */
  exclusive?: boolean;
  /** A statement that takes longer fails: where somebody waits for an answer. */
  statementTimeoutMs?: number;
  /** Needs a mail server. */
  mail?: boolean;
  /** Receives a line about each migration before it runs; without it the log does. */
  announce?(line: string): void;
}>;

/** SQLSTATE of a login that is refused, a database that does not exist, or missing rights. */
const REFUSED = /^(28|3D|42501)/;

function describeDatabase(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

/** Turns a PostgreSQL that is away or refuses into one sentence for the terminal. */
async function overDatabase<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const what = isDatabaseAway(error) ? 'is unreachable' : REFUSED.test(code ?? '') ? 'refuses' : null;
    if (what === null) throw error;
    throw new StartError(`PostgreSQL at ${describeDatabase(databaseUrl)} ${what}: ${message}`);
  }
}

type Ground = Readonly<{ config: Config; log: Logger; embedded: Embedded | null }>;

/** Reads the environment and brings up what it leaves to Formgate. */
async function openGround(options: Options): Promise<Ground> {
  const settings = readSettings();
  const log = createLogger(settings.logLevel, { process: options.process });
  if (!settings.embedded) return { config: settings, log, embedded: null };
  const { openEmbedded } = await import('../embedded/embedded.js');
  const embedded = await openEmbedded(settings, { ...options, log });
  return { config: embedded.config, log, embedded };
}

async function migrateAll(
  { databaseUrl, redisUrl }: Config,
  log: Logger,
  announce: (line: string) => void,
): Promise<string[]> {
  const applied = await migrate(databaseUrl, { log, announce });
  if (!redisUrl) await (await import('../queue/postgres-queues.js')).migrateQueues(databaseUrl);
  if (applied.length > 0) log.info({ applied }, 'Database migrated');
  return applied;
}

/** Runs work on the database as it stands, without migrating it. */
export async function withDatabase(
  options: Options,
  work: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  const { config, embedded } = await openGround(options);
  try {
    await overDatabase(config.databaseUrl, () => work(config.databaseUrl));
  } finally {
    await embedded?.close();
  }
}

/**
 * Reads the environment, brings up what it leaves to Formgate, and migrates the database.
 *
 * @throws StartError with the one reason, when it cannot; whatever was started is stopped again.
 */
export async function openRuntime(options: Options): Promise<Runtime> {
  const { config, log, embedded } = await openGround(options);
  try {
    const { statementTimeoutMs, announce = (line: string) => log.info(line) } = options;
    const migrated = await overDatabase(config.databaseUrl, () => migrateAll(config, log, announce));
    const { createServices } = await import('../services.js');
    const services = createServices(config, log, { statementTimeoutMs });
    await verifyAppKey(services).catch(async (error) => {
      await services.close();
      throw error;
    });
    return {
      services,
      embedded,
      migrated,
      async close() {
        await services.close();
        await embedded?.close();
      },
    };
  } catch (error) {
    await embedded?.close();
    throw error;
  }
}
