/**
 * Lets only so many at once do some work; the others wait for their turn, in the order in which they came.
 *
 * @returns the function that does a piece of work when there is a place for it.
 */
export function createSlots(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = count;

  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
