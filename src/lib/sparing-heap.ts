import { setFlagsFromString } from 'node:v8';

/** V8's own choice, which lets the heap grow to about four times what is alive before it looks for garbage. */
const USUAL = 0;
const SPARING = 60;

let underWay = 0;

const growBy = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);

/**
 * Runs work that makes much garbage for long, during which the heap of the process grows by 60 % of what is alive
 * and no more. The collector then has more to do, so it is not for work that somebody waits for in milliseconds.
 */
export async function withSparingHeap<T>(work: () => Promise<T>): Promise<T> {
  underWay += 1;
  growBy(SPARING);
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) growBy(USUAL);
  }
}
