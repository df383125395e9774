import { setTimeout as pause } from 'node:timers/promises';
import type { IQueueBackend, Worker } from 'bullmq';

/** Pause of a worker after an error, before it looks for jobs again. */
export const BACK_OFF_MS = 1_000;

/**
 * Creates the back-off of a worker. BullMQ has none after what is no loss of the connection: it would ask a server that
 * refuses thousands of times a second, and where the first request already failed leave the process to nothing else.
 */
export function createBackOff() {
  const closing = new AbortController();
  let until = 0;
  async function backOff(): Promise<void> {
    const remainingMs = until - performance.now();
    if (remainingMs > 0) await pause(remainingMs, undefined, closing).catch(() => undefined);
  }
  return {
    /** Makes a backend wait for the end of the back-off before it looks for jobs. */
    apply<Backend extends Pick<IQueueBackend, 'moveToActive' | 'waitForJob'>>(backend: Backend): Backend {
      const { moveToActive, waitForJob } = backend;
      backend.moveToActive = async (...job) => {
        await backOff();
        return moveToActive.apply(backend, job);
      };
      backend.waitForJob = async (...timeout) => {
        await backOff();
        return waitForJob.apply(backend, timeout);
      };
      return backend;
    },

    /** Begins the back-off with each error of a worker, and ends it when the worker closes. */
    watch(worker: Worker): Worker {
      worker.on('closing', () => closing.abort());
      worker.on('error', () => {
        until = performance.now() + BACK_OFF_MS;
      });
      return worker;
    },
  };
}
