import pLimit from 'p-limit';

/** Runs work as soon as a permit is free. The work may release its permit before it ends. */
export type Semaphore = <Result>(work: (release: () => void) => Promise<Result>) => Promise<Result>;

/** Limits how many pieces of work hold a permit at once; further ones wait in the order in which they came. */
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
