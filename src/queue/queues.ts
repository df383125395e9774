import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Job, Queue, type QueueOptions, type Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { StartError } from '../errors.js';
import { createRedis, isDatabaseMissing } from '../lib/redis.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { JobDefinition } from './define-job.js';
import { openPostgresQueue, openPostgresWorker } from './postgres-queues.js';
import { openRedisWorker } from './redis-worker.js';

const CONNECT_TIMEOUT_MS = 1_500;

/** Lifetime of the key that a readiness check writes, in seconds. */
const READY_KEY_S = 60;

const LIMIT_WINDOW_MS = 1_000;

/** How late the next job of a schedule may be, at least, before it counts as lost; clocks of hosts differ by less. */
const LATE_SCHEDULE_MS = 60_000;

/** Length of a worker's lease on a job. It is renewed twice in this time; a dead worker is noticed after it. */
const JOB_LOCK_MS = 8_000;
const LOOK_FOR_STALLED_EVERY_MS = 3_000;

/** The one queue of all jobs that run at an interval: each queue costs a worker connections of its own. */
const SCHEDULED_QUEUE = 'regular';

/** The scheduled jobs, for `depth`: it counts a queue by its job, which for every other job has the same name. */
export const SCHEDULED = { name: SCHEDULED_QUEUE } as const;

/** BullMQ does not finish closing while Redis is away; after the jobs in flight have ended it is given this long. */
const CLOSE_TIMEOUT_MS = 1_000;

const WORKER_OPTIONS = {
  lockDuration: JOB_LOCK_MS,
  stalledInterval: LOOK_FOR_STALLED_EVERY_MS,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};

type Options = { redisUrl: string | null; databaseUrl: string; log: Logger };

type Entry<Payload> = Readonly<{
  /** Deterministic, so that enqueueing is idempotent. */
  id: string;
  payload: Payload;
  /** BullMQ's; the job waits for all jobs without one, also for those that are enqueued after it. */
  priority?: number;
}>;

const optionsOf = ({ id, priority }: Entry<unknown>) => ({ jobId: id, ...(priority && { priority }) });

type Limits = Readonly<{
  /** Maximum jobs that this worker handles at once; the definition's, unless given. */
  concurrency?: number;
  /** Maximum jobs begun per second by all workers together; null: no limit. */
  perSecond?: number | null;
}>;

/** BullMQ's error for a job that ends while its lock is renewed. One that has lost its lock is run again. */
const LOCK_NOT_RENEWED = /^could not renew lock for job /;

export type Queues = ReturnType<typeof createQueues>;

/** Creates BullMQ's queues and workers, on Redis where there is one, else on PostgreSQL. */
export function createQueues({ redisUrl, databaseUrl, log }: Options) {
  const redis = redisUrl ? createRedis(redisUrl, log, 'commands') : null;
  /** The error of the first connection; null when there is none. */
  const firstConnectionError: Promise<unknown> =
    redis === null
      ? Promise.resolve(null)
      : once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).then(
          () => null,
          (error) => error,
        );
  const queues = new Map<string, Queue>();
  const workers: Worker[] = [];
  const inFlight = new Set<Promise<void>>();
  const connections: Redis[] = redis ? [redis] : [];
  const warn = limitLog(log);
  const logError = (name: string) => (error: Error) => {
    if (LOCK_NOT_RENEWED.test(error.message))
      log.info({ queue: name, reason: error.message }, 'Lock not renewed');
    else warn(error, 'Queue error', { queue: name });
  };

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const options: Omit<QueueOptions, 'connection'> = {
      // A finished job that is still kept would suppress the next one with its id.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    };
    const queue: Queue = redis
      ? new Queue(name, { ...options, connection: redis })
      : openPostgresQueue(name, databaseUrl, options);
    queue.on('error', logError(name));
    queues.set(name, queue);
    // BullMQ prepares a queue once, and fails for ever where its server was silent at that moment.
    queue.waitUntilReady().catch(() => {
      if (queues.get(name) === queue) queues.delete(name);
      return queue.close().catch(() => undefined);
    });
    return queue;
  }

  /** Waits for a close to finish, at most a second beyond the end of the jobs in flight. */
  async function waitForClose(closing: Promise<unknown>): Promise<void> {
    const closed = new AbortController();
    const idle = async () => {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    };
    const late = async () => {
      await idle();
      await pause(CLOSE_TIMEOUT_MS, undefined, { signal: closed.signal }).catch(() => undefined);
      // Another job may have been fetched meanwhile.
      await idle();
    };
    await Promise.race([closing.catch((error: Error) => warn(error, 'Queue not closed')), late()]);
    // A running pause would keep the process alive.
    closed.abort();
  }

  /**
   * Waits briefly for the first connection, and for no later one.
   *
   * @throws Error when Redis is away.
   */
  async function requireReady(): Promise<void> {
    const isReady = () => !redis || redis.status === 'ready';
    if (isReady()) return;
    await firstConnectionError;
    if (!isReady()) throw new Error('Redis is away.');
  }

  function openWorker(
    name: string,
    options: Omit<WorkerOptions, 'connection'>,
    handle: (job: Pick<Job, 'name' | 'data'>) => Promise<void>,
  ): void {
    const process = (job: Job): Promise<void> => {
      const handling = Promise.resolve()
        .then(() => handle(job))
        .finally(() => inFlight.delete(handling));
      inFlight.add(handling);
      return handling;
    };
    const connection = redisUrl ? createRedis(redisUrl, log, 'blocking') : null;
    if (connection) connections.push(connection);
    const worker: Worker = connection
      ? openRedisWorker(name, process, connection, options)
      : openPostgresWorker(name, process, databaseUrl, options);
    worker.on('error', logError(name));
    worker.on('failed', (failed, error) =>
      warn(error, 'Job failed', { queue: name, job: failed?.name, jobId: failed?.id }),
    );
    workers.push(worker);
  }

  async function stopWorkers(): Promise<void> {
    await waitForClose(Promise.all(workers.splice(0).map((worker) => worker.close())));
  }

  return {
    /**
     * Waits briefly for the first connection.
     *
     * @throws StartError when Redis lacks the database of REDIS_URL; else the error of a Redis that is away.
     */
    async connect(): Promise<void> {
      const error = await firstConnectionError;
      if (isDatabaseMissing(error)) {
        throw new StartError(`REDIS_URL names a database that Redis does not have: ${error.message}`);
      }
      if (error !== null) throw error;
    },

    /**
     * Enqueues jobs. It fails rather than waits when the queue's server is away; a reconciler finds what is recorded in
     * PostgreSQL again.
     */
    async enqueue<Payload>(job: JobDefinition<Payload>, entries: readonly Entry<Payload>[]): Promise<void> {
      if (entries.length === 0) return;
      await requireReady();
      const queue = queueOf(job.name);
      const [first] = entries;
      if (entries.length === 1 && first) await queue.add(job.name, first.payload, optionsOf(first));
      else {
        await queue.addBulk(
          entries.map((entry) => ({ name: job.name, data: entry.payload, opts: optionsOf(entry) })),
        );
      }
    },

    /**
     * Schedules a job at an interval, however many workers there are. It leaves an equal schedule unchanged, unless a
     * clock that was ahead has left the next job far in the future, or the next job is lost, as in a Redis that evicts
     * keys.
     */
    async schedule(job: Pick<JobDefinition<object>, 'name'>, everyMs: number): Promise<void> {
      await requireReady();
      const queue = queueOf(SCHEDULED_QUEUE);
      const existing = await queue.getJobScheduler(job.name);
      const aheadMs = existing?.next === undefined ? 0 : existing.next - Date.now();
      const isStranded = aheadMs > 2 * everyMs || aheadMs < -Math.max(2 * everyMs, LATE_SCHEDULE_MS);
      // An upsert alone keeps the next job where it is.
      if (isStranded) await queue.removeJobScheduler(job.name);
      if (isStranded || existing?.every !== everyMs) {
        await queue.upsertJobScheduler(job.name, { every: everyMs }, { name: job.name, data: {} });
      }
    },

    /**
     * Starts a worker for a kind of job. A job whose handler throws is logged and dropped.
     */
    work<Payload>(
      job: JobDefinition<Payload>,
      handler: (payload: Payload) => Promise<void>,
      { concurrency = job.concurrency, perSecond = null }: Limits = {},
    ): void {
      const options = {
        ...WORKER_OPTIONS,
        concurrency,
        // A worker whose clock is set back waits no longer than a window.
        ...(perSecond !== null && {
          limiter: { max: perSecond, duration: LIMIT_WINDOW_MS },
          maximumRateLimitDelay: LIMIT_WINDOW_MS,
        }),
      };
      openWorker(job.name, options, ({ data }) => handler(job.schema.parse(data)));
    },

    /**
     * Starts the worker of the scheduled jobs, by their names. They run side by side, but no job runs twice at once
     * here: one that takes longer than its interval skips a turn.
     */
    workScheduled(handlers: ReadonlyMap<string, () => Promise<unknown>>): void {
      const running = new Set<string>();
      openWorker(SCHEDULED_QUEUE, { ...WORKER_OPTIONS, concurrency: handlers.size }, async ({ name }) => {
        const handler = handlers.get(name);
        if (!handler || running.has(name)) return;
        running.add(name);
        await handler().finally(() => running.delete(name));
      });
    },

    /** Counts the jobs of a kind by state, as in `{waiting: 3, active: 1}`. */
    async depth(job: Pick<JobDefinition<unknown>, 'name'>): Promise<Record<string, number>> {
      await requireReady();
      const states = ['waiting', 'prioritized', 'active', 'delayed'] as const;
      const { waiting = 0, prioritized = 0, ...others } = await queueOf(job.name).getJobCounts(...states);
      return { ...others, waiting: waiting + prioritized };
    },

    /** Counts the jobs of a kind that wait and have no priority, so that they come before those that have one. */
    async countUnprioritized(job: Pick<JobDefinition<unknown>, 'name'>): Promise<number> {
      await requireReady();
      const { waiting = 0 } = await queueOf(job.name).getJobCounts('waiting');
      return waiting;
    },

    /**
     * Writes to Redis as a job would, and reads a queue; on PostgreSQL the queue is as writable as the database.
     *
     * @throws the error of a Redis that is away or full, or whose user lacks a right that BullMQ needs.
     */
    async requireWritable(): Promise<void> {
      if (!redis) return;
      await redis.set('formgate:ready', '1', 'EX', READY_KEY_S);
      await queueOf(SCHEDULED_QUEUE).getJobCounts('waiting');
    },

    /** Stops taking jobs, and waits for those in flight. */
    stopWorkers,

    async close(): Promise<void> {
      await stopWorkers();
      await waitForClose(Promise.all([...queues.values()].map((queue) => queue.close())));
      for (const connection of connections.splice(0)) connection.disconnect();
    },
  };
}
