import { createRedisBackend, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { BACK_OFF_MS, createBackOff } from './back-off.js';

/** Opens a BullMQ worker on Redis, which backs off after an error. */
export function openRedisWorker(
  name: string,
  processor: Processor,
  connection: Redis,
  options: Omit<WorkerOptions, 'connection'>,
): Worker {
  const backOff = createBackOff();
  const open: typeof createRedisBackend = (...given) => backOff.apply(createRedisBackend(...given));
  return backOff.watch(
    new Worker(name, processor, { ...options, connection, runRetryDelay: BACK_OFF_MS }, open),
  );
}
