import type { z } from 'zod';
import { invalid } from '../errors.js';
import { type Fault, readWith } from '../lib/faults.js';

/**
 * Parses an argument with its schema.
 *
 * @param name The argument's name, with which the paths of its faults begin, as in `input.fields.2.name`.
 * @throws 422 that names every faulty path.
 */
export function readInput<T extends z.ZodType>(schema: T, input: unknown, name = 'input'): z.output<T> {
  const long = longMapping(input);
  if (long) throw invalidInput([long], name);
  const read = readWith(schema, input);
  if ('faults' in read) throw invalidInput(read.faults, name);
  return read.data;
}

/** Maximum keys of a mapping, more than any schema needs; larger ones are refused before each entry is checked. */
const MAX_KEYS = 200;
/** Maximum faults that an answer reports. */
const MAX_FAULTS = 100;

type Visited = Readonly<{ value: object; key: string; parent: Visited | null }>;

/** Finds a mapping with more than `MAX_KEYS` keys, without recursion: an input may be deeper than the stack. */
function longMapping(input: unknown): Fault | null {
  const visited: Visited[] = [];
  const visit = (value: unknown, key: string, parent: Visited | null) => {
    if (typeof value === 'object' && value !== null) visited.push({ value, key, parent });
  };
  visit(input, '', null);
  for (const each of visited) {
    const entries = Object.entries(each.value);
    if (!Array.isArray(each.value) && entries.length > MAX_KEYS) {
      const path: string[] = [];
      for (let at = each; at.parent; at = at.parent) path.unshift(at.key);
      return { path, message: `must be at most ${MAX_KEYS} entries` };
    }
    for (const [key, value] of entries) visit(value, key, each);
  }
  return null;
}

/** Builds the 422 for the faults of an argument, under their paths, which begin with its name. */
export function invalidInput(faults: readonly Fault[], name = 'input') {
  const errors: Record<string, string[]> = {};
  for (const { path, message } of faults.slice(0, MAX_FAULTS)) {
    const key = [name, ...path].join('.');
    errors[key] ??= [];
    errors[key].push(message);
  }
  return invalid(errors);
}
