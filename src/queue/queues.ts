import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Queue, type QueueOptions, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from '../lib/logger.js';
import { createRedis } from '../lib/redis.js';
import type { JobDefinition } from './define-job.js';
import { openPostgresQueue, openPostgresWorker } from './postgres-queues.js';

const CONNECT_TIMEOUT_MS = 1_500;

/** A worker renews its hold on a job twice in this time; one that has died is noticed after it. */
const JOB_LOCK_MS = 8_000;
const LOOK_FOR_STALLED_EVERY_MS = 3_000;

/** BullMQ does not finish closing while Redis is away; beyond the jobs under way it is given this long. */
const CLOSE_TIMEOUT_MS = 1_000;

type Options = { redisUrl: string | null; databaseUrl: string; log: Logger };

type Entry<Payload> = Readonly<{
  /** Deterministic, so that handing over twice queues once. */
  id: string;
  payload: Payload;
}>;

export type Queues = ReturnType<typeof createQueues>;

/** BullMQ's queues and workers: on Redis where there is one, else on PostgreSQL. */
export function createQueues({ redisUrl, databaseUrl, log }: Options) {
  const redis = redisUrl ? createRedis(redisUrl, log, 'commands') : null;
  const firstConnection =
    redis && once(redis, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) }).catch(() => undefined);
  const queues = new Map<string, Queue>();
  const workers: Worker[] = [];
  const underWay = new Set<Promise<void>>();
  const connections: Redis[] = redis ? [redis] : [];
  const logError = (name: string) => (error: Error) =>
    log.warn({ queue: name, reason: error.message }, 'Queue error');

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const options: Omit<QueueOptions, 'connection'> = {
      // A finished id that is still kept would swallow the next job of that id.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    };
    const queue: Queue = redis
      ? new Queue(name, { ...options, connection: redis })
      : openPostgresQueue(name, databaseUrl, options);
    queue.on('error', logError(name));
    queues.set(name, queue);
    return queue;
  }

  /** Waits for something to close, and for the jobs under way in any case, but no longer than is of use. */
  async function inTime(closing: Promise<unknown>): Promise<void> {
    const closed = new AbortController();
    const idle = async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    };
    const late = async () => {
      await idle();
      await pause(CLOSE_TIMEOUT_MS, undefined, { signal: closed.signal }).catch(() => undefined);
      // One more may have been fetched meanwhile.
      await idle();
    };
    await Promise.race([closing.catch(logError('closing')), late()]);
    // A pause that goes on would keep the process alive.
    closed.abort();
  }

  /** Waits for the first connection for a moment, and for no later one. */
  async function requireReady(): Promise<void> {
    const isReady = () => !redis || redis.status === 'ready';
    if (isReady()) return;
    await firstConnection;
    if (!isReady()) throw new Error('Redis is away.');
  }

  return {
    /**
     * Hands jobs over. Fails rather than waits when the queue's server is away; what is recorded in
     * PostgreSQL is found again by its reconciler.
     */
    async enqueue<Payload>(job: JobDefinition<Payload>, entries: readonly Entry<Payload>[]): Promise<void> {
      await requireReady();
      const queue = queueOf(job.name);
      const [first] = entries;
      if (entries.length === 1 && first) await queue.add(job.name, first.payload, { jobId: first.id });
      else {
        await queue.addBulk(
          entries.map(({ id, payload }) => ({ name: job.name, data: payload, opts: { jobId: id } })),
        );
      }
    },

    /** Runs a job every so often, however many workers there are. Leaves a schedule that exists alone. */
    async schedule(job: JobDefinition<object>, everyMs: number): Promise<void> {
      await requireReady();
      const queue = queueOf(job.name);
      const existing = await queue.getJobScheduler(job.name);
      if (existing?.every !== everyMs) {
        await queue.upsertJobScheduler(job.name, { every: everyMs }, { name: job.name, data: {} });
      }
    },

    /**
     * Starts to work on a kind of job. What a handler throws is logged and the job dropped.
     *
     * @param limits.perSecond most jobs begun a second, all workers together; null: no limit
     */
    work<Payload>(
      job: JobDefinition<Payload>,
      handler: (payload: Payload) => Promise<void>,
      { concurrency, perSecond = null }: { concurrency: number; perSecond?: number | null },
    ): void {
      const options: Omit<WorkerOptions, 'connection'> = {
        concurrency,
        lockDuration: JOB_LOCK_MS,
        stalledInterval: LOOK_FOR_STALLED_EVERY_MS,
        ...(perSecond !== null && { limiter: { max: perSecond, duration: 1_000 } }),
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      };
      const process = ({ data }: { data: unknown }): Promise<void> => {
        const handling = Promise.resolve()
          .then(() => handler(job.schema.parse(data)))
          .finally(() => underWay.delete(handling));
        underWay.add(handling);
        return handling;
      };
      const connection = redisUrl ? createRedis(redisUrl, log, 'blocking') : null;
      if (connection) connections.push(connection);
      const worker: Worker = connection
        ? new Worker(job.name, process, { ...options, connection })
        : openPostgresWorker(job.name, process, databaseUrl, options);
      worker.on('error', logError(job.name));
      worker.on('failed', (failed, error) =>
        log.error({ queue: job.name, jobId: failed?.id, reason: error.message }, 'Job failed'),
      );
      workers.push(worker);
    },

    /** Jobs of a kind by state, as in `{waiting: 3, active: 1}`. */
    async depth(job: Pick<JobDefinition<unknown>, 'name'>): Promise<Record<string, number>> {
      await requireReady();
      return queueOf(job.name).getJobCounts('waiting', 'active', 'delayed');
    },

    /** Whether the queue's server answers. */
    async isReady(): Promise<boolean> {
      if (!redis) return true;
      return redis.ping().then(
        () => true,
        () => false,
      );
    },

    /** Stops taking jobs, and waits for those under way. */
    async stopWorkers(): Promise<void> {
      await inTime(Promise.all(workers.splice(0).map((worker) => worker.close())));
    },

    async close(): Promise<void> {
      await this.stopWorkers();
      await inTime(Promise.all([...queues.values()].map((queue) => queue.close())));
      for (const connection of connections.splice(0)) connection.disconnect();
    },
  };
}
