import { readSettings } from '../config.js';
import type { Embedded } from '../embedded/embedded.js';
import { StartError } from '../errors.js';
import { verifyAppKey } from '../lib/app-key.js';
import { createLogger, type Logger } from '../lib/logger.js';
import { migrate } from '../lib/migrations.js';
import { isDatabaseAway } from '../lib/prisma.js';
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
}>;

/** SQLSTATE of a login that is refused, a database that does not exist, or missing rights. */
const REFUSED = /^(28|3D|42501)/;

function describeDatabase(databaseUrl: string): string {
  const { host, pathname } = new URL(databaseUrl);
  return `${host}${pathname}`;
}

async function migrateAll(databaseUrl: string, redisUrl: string | null, log: Logger): Promise<string[]> {
  try {
    const applied = await migrate(databaseUrl);
    if (!redisUrl) await (await import('../queue/postgres-queues.js')).migrateQueues(databaseUrl);
    if (applied.length > 0) log.info({ applied }, 'Database migrated');
    return applied;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const what = isDatabaseAway(error) ? 'is unreachable' : REFUSED.test(code ?? '') ? 'refuses' : null;
    if (what === null) throw error;
    throw new StartError(`PostgreSQL at ${describeDatabase(databaseUrl)} ${what}: ${message}`);
  }
}

/**
 * Reads the environment, brings up what it leaves to Formgate, and migrates the database.
 *
 * @throws StartError with the one reason, when it cannot; whatever was started is stopped again.
 */
export async function openRuntime(options: Options): Promise<Runtime> {
  const settings = readSettings();
  const log = createLogger(settings.logLevel, { process: options.process });
  const embedded = settings.embedded
    ? await (await import('../embedded/embedded.js')).openEmbedded(settings, { ...options, log })
    : null;
  try {
    const config = embedded?.config ?? (settings as Exclude<typeof settings, { embedded: true }>);
    const migrated = await migrateAll(config.databaseUrl, config.redisUrl, log);
    const { statementTimeoutMs } = options;
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
