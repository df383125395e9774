import pLimit from 'p-limit';

/** Runs work as soon as a permit is free. The work may release its permit before it ends. */
export type Semaphore = <Result>(work: (release: () => void) => Promise<Result>) => Promise<Result>;

/** Creates a semaphore: at most `permits` pieces of work hold a permit at once, and further ones wait in FIFO order. */
export function createSemaphore(permits: number): Semaphore {
  const limit = pLimit(permits);
  return (work) =>
    new Promise((resolve, reject) => {
      const holdPermit = () =>
        new Promise<void>((release) => {
          const working = async () => work(release);
          working().then(resolve, reject).finally(release);
        });
      limit(holdPermit);
    });
}
