import { limitLog } from './telemetry/limited-log.js';
import type { Logger } from './telemetry/logger.js';

export type Background = ReturnType<typeof createBackground>;

/** Keeps track of work that may go on after its caller has stopped waiting for it. */
export function createBackground({ log }: { log: Logger }) {
  const logError = limitLog(log, 'error');
  const running = new Set<Promise<void>>();

  return {
    /**
     * Resolves when the work ends or detaches. A failure before that rejects; a later one is logged.
     *
     * @param work Calls `detach` when only a long wait is left of it.
     */
    run(work: (detach: () => void) => Promise<void>): Promise<void> {
      return new Promise((resolve, reject) => {
        let isDetached = false;
        const detach = () => {
          isDetached = true;
          resolve();
        };
        const working = async () => work(detach);
        const task = working()
          .then(resolve, (error: Error) => {
            if (isDetached) logError(error, 'Detached work failed');
            else reject(error);
          })
          .finally(() => running.delete(task));
        running.add(task);
      });
    },

    /** Resolves when no work is running. */
    async drained(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
