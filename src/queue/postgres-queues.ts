import { setTimeout as pause } from 'node:timers/promises';
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

const SCHEMA = 'bullmq';
const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 1_500;

/** A worker that PostgreSQL has failed asks it again after this long. */
const REST_MS = 1_000;

const connectionTo = (databaseUrl: string) => ({
  connectionString: databaseUrl,
  schema: SCHEMA,
  max: POOL_SIZE,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
});

/**
 * BullMQ's backend, whose tables `migrateQueues` has made. BullMQ would look for them once and keep what came of it:
 * after a first connection that failed, a queue would fail for good, and a worker ask again and again without
 * ever letting go of the process.
 */
const openBackend: typeof createPostgresBackend = (...options) => {
  const backend = createPostgresBackend(...options);
  backend.connection.waitUntilReady = async () => undefined;
  return backend;
};

/** A queue of BullMQ's on PostgreSQL. */
export function openPostgresQueue(
  name: string,
  databaseUrl: string,
  options: Omit<QueueOptions, 'connection'>,
): Queue {
  const connection = connectionTo(databaseUrl);
  return new Queue(name, { ...options, connection }, openBackend) as unknown as Queue;
}

/** A worker of BullMQ's on PostgreSQL, which rests after a failure before it looks for work again. */
export function openPostgresWorker(
  name: string,
  processor: Processor,
  databaseUrl: string,
  options: Omit<WorkerOptions, 'connection'>,
): Worker {
  const closing = new AbortController();
  let restsUntil = 0;
  async function rest(): Promise<void> {
    const restMs = restsUntil - performance.now();
    if (restMs > 0) await pause(restMs, undefined, closing).catch(() => undefined);
  }
  const openRestingBackend: typeof createPostgresBackend = (...given) => {
    const backend = openBackend(...given);
    const { moveToActive, waitForJob } = backend;
    backend.moveToActive = async (...job) => {
      await rest();
      return moveToActive.apply(backend, job);
    };
    backend.waitForJob = async (...timeout) => {
      await rest();
      return waitForJob.apply(backend, timeout);
    };
    return backend;
  };
  const settings = { ...options, connection: connectionTo(databaseUrl), runRetryDelay: REST_MS };
  const worker = new Worker(name, processor, settings, openRestingBackend) as unknown as Worker;
  worker.on('closing', () => closing.abort());
  worker.on('error', () => {
    restsUntil = performance.now() + REST_MS;
  });
  return worker;
}

/** Creates or upgrades the tables of the queue that lives in PostgreSQL. Safe to run any time. */
export async function migrateQueues(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}
