import { invalid } from '../errors.js';
import type { Estimate } from './cost.js';

/** Makes the argument `limit` of a list: its options, its check, and the cost of as many entries as it requests. */
export function limitOf({ usual, most }: Readonly<{ usual: number; most: number }>) {
  function read(limit: number): number {
    if (limit < 1 || limit > most) throw invalid({ limit: [`must be 1 to ${most}`] });
    return limit;
  }
  return {
    options: { defaultValue: usual, description: `How many entries, ${most} at most.` },
    read,
    cost: ({ args, childComplexity }: Estimate<{ limit?: number }>): number =>
      1 + read(args.limit ?? usual) * childComplexity,
  };
}
