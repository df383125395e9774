import { invalid } from '../errors.js';
import type { Estimate } from './cost.js';

type Limit<Name> = Readonly<{
  usual: number;
  most: number;
  /** The argument's name. */
  name: Name;
}>;

/** Makes the argument that limits a list: its options, its check, and the cost of as many entries as it requests. */
export function limitOf<Name extends string>({ usual, most, name }: Limit<Name>) {
  function read(limit: number): number {
    if (limit < 1 || limit > most) throw invalid({ [name]: [`must be 1 to ${most}`] });
    return limit;
  }
  return {
    options: { defaultValue: usual, description: `How many entries, ${most} at most.` },
    read,
    cost: ({ args, childComplexity }: Estimate<Readonly<Partial<Record<Name, number>>>>): number =>
      1 + read(args[name] ?? usual) * childComplexity,
  };
}
