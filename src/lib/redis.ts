import { Redis } from 'ioredis';
import { causeOf } from './telemetry/cause.js';
import type { Logger } from './telemetry/logger.js';

/** ioredis's value for an error that it answers by a new connection, on which it sends the command again. */
const RECONNECT_AND_RESEND = 2;

/**
 * Time without an answer after which a connection is given up for a new one: the kernel would try for a quarter of an
 * hour to reach a server that is gone without a word. BullMQ's workers block for eleven seconds at most.
 */
const SILENCE_MS = { commands: 3_000, blocking: 15_000 } as const;

/** The connections of each process that are away, so that a change is logged once and not for each of them. */
const AWAY = new WeakMap<Logger, Set<Redis>>();

const commandOf = (error: unknown) => (error as { command?: { name?: unknown } } | null)?.command?.name;

/** Tells whether Redis answered that it lacks the database which a connection selects. */
export const isDatabaseMissing = (error: unknown): error is Error =>
  error instanceof Error &&
  commandOf(error) === 'select' &&
  /DB index|out of range|cluster mode/.test(error.message);

/** Tells whether a command failed because its server became a replica while the connection stayed open. */
const isReplica = ({ message }: Error): boolean => message.includes('READONLY');

/** Logs when Redis goes away and returns, and keeps a connection from being ready on another database. */
function watched(redis: Redis, log: Logger): Redis {
  const away = AWAY.get(log) ?? new Set();
  AWAY.set(log, away);
  redis.on('error', (error) => {
    // ioredis would go on in database 0, which may be another installation's.
    if (commandOf(error) === 'select') redis.disconnect(true);
    if (away.size === 0) log.warn(causeOf(error), 'Redis is away');
    away.add(redis);
  });
  redis.on('ready', () => {
    if (away.delete(redis) && away.size === 0) log.info('Redis is back');
  });
  redis.on('end', () => away.delete(redis));
  // BullMQ duplicates a worker's connection for the command that blocks.
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => watched(duplicate(override), log);
  return redis;
}

/**
 * Opens a Redis connection. With `commands` a command that is not answered in time fails, so that a request never waits
 * for a Redis that is away; `blocking` is for BullMQ's workers, which block on purpose. Both reconnect when their
 * server has become a replica, since the address may lead to another primary by then.
 */
export function createRedis(url: string, log: Logger, use: 'commands' | 'blocking'): Redis {
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    socketTimeout: SILENCE_MS[use],
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    ...(use === 'blocking'
      ? { maxRetriesPerRequest: null, reconnectOnError: (error) => isReplica(error) && RECONNECT_AND_RESEND }
      : {
          maxRetriesPerRequest: 1,
          commandTimeout: 1_000,
          enableOfflineQueue: false,
          reconnectOnError: isReplica,
        }),
  });
  return watched(redis, log);
}
