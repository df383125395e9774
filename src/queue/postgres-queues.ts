import {
  createPostgresBackend,
  type Processor,
  Queue,
  type QueueOptions,
  runMigrations,
  Worker,
  type WorkerOptions,
} from 'bullmq';
import pg from 'pg';
import { BACK_OFF_MS, createBackOff } from './back-off.js';

const SCHEMA = 'bullmq';
const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 1_500;

/**
 * Wait for BullMQ's limit beyond which a clock that was ahead has set its end: a window lasts a second, and the clocks
 * of two hosts differ by less than this.
 */
const STRANDED_LIMIT_MS = 60_000;

/**
 * BullMQ listens on one connection and sets the schema for the session of the others: no transaction pooler serves it.
 */
const connectionTo = (databaseUrl: string) => ({
  connectionString: databaseUrl,
  schema: SCHEMA,
  max: POOL_SIZE,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
});

/**
 * Opens BullMQ's backend, whose tables `migrateQueues` has created, without its check for them. BullMQ checks once and
 * keeps the outcome: after a failed first connection a queue would fail for good, and a worker would retry for ever
 * and keep the process alive.
 */
const openBackend: typeof createPostgresBackend = (...options) => {
  const backend = createPostgresBackend(...options);
  backend.connection.waitUntilReady = async () => undefined;
  return backend;
};

/** Opens a BullMQ queue on PostgreSQL. */
export function openPostgresQueue(
  name: string,
  databaseUrl: string,
  options: Omit<QueueOptions, 'connection'>,
): Queue {
  const connection = connectionTo(databaseUrl);
  return new Queue(name, { ...options, connection }, openBackend) as unknown as Queue;
}

/**
 * Opens a BullMQ worker on PostgreSQL, which backs off after an error.
 *
 * BullMQ keeps the end of a limit's window by the clock of the process, so the worker ends one that a clock hours ahead
 * has left behind.
 */
export function openPostgresWorker(
  name: string,
  processor: Processor,
  databaseUrl: string,
  options: Omit<WorkerOptions, 'connection'>,
): Worker {
  const backOff = createBackOff();
  const open: typeof createPostgresBackend = (...given) => {
    const backend = openBackend(...given);
    const { moveToActive } = backend;
    backend.moveToActive = async (...job) => {
      const found = await moveToActive.apply(backend, job);
      const [, , limitMs = 0] = found;
      if (limitMs < STRANDED_LIMIT_MS) return found;
      await backend.removeRateLimitKey();
      return moveToActive.apply(backend, job);
    };
    return backOff.apply(backend);
  };
  const settings = { ...options, connection: connectionTo(databaseUrl), runRetryDelay: BACK_OFF_MS };
  return backOff.watch(new Worker(name, processor, settings, open) as unknown as Worker);
}

/** Creates or upgrades the tables of the queue in PostgreSQL. It is idempotent and safe to run any time. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}
