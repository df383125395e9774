import type { z } from 'zod';
import { invalid } from '../errors.js';
import { type Fault, readWith } from '../lib/faults.js';

/**
 * Checks an argument against its schema.
 *
 * @param name Of the argument, where the paths of its faults begin, as in `input.fields.2.name`.
 * @throws 422 that names every faulty path.
 */
export function readInput<T extends z.ZodType>(schema: T, input: unknown, name = 'input'): z.output<T> {
  const read = readWith(schema, input);
  if ('faults' in read) throw invalidInput(read.faults, name);
  return read.data;
}

/** The 422 for faults of an argument, under their paths from its name on. */
export function invalidInput(faults: readonly Fault[], name = 'input') {
  const errors: Record<string, string[]> = {};
  for (const { path, message } of faults) {
    const key = [name, ...path].join('.');
    errors[key] = [...(errors[key] ?? []), message];
  }
  return invalid(errors);
}
