import { Redis } from 'ioredis';
import { causeOf } from './telemetry/cause.js';
import type { Logger } from './telemetry/logger.js';

/**
 * Opens a Redis connection. With `commands` a command that is not answered in time fails, so that a request never
 * waits for a Redis that is away. BullMQ's workers, which block on purpose, take `blocking`.
 */
export function createRedis(url: string, log: Logger, use: 'commands' | 'blocking'): Redis {
  const redis = new Redis(url, {
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
    ...(use === 'blocking'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 1, commandTimeout: 1_000, enableOfflineQueue: false }),
  });
  let away = false;
  redis.on('error', (error) => {
    if (!away) log.warn(causeOf(error), 'Redis is away');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info('Redis is back');
    away = false;
  });
  return redis;
}
