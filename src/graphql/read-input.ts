import type { z } from 'zod';
import { invalid } from '../errors.js';

/**
 * Checks an argument against its schema.
 *
 * @param name Of the argument, where the paths of its faults begin, as in `input.fields.2.name`.
 * @throws 422 that names every faulty path.
 */
export function readInput<T extends z.ZodType>(schema: T, input: unknown, name = 'input'): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const { path, message } of parsed.error.issues) {
    const key = [name, ...path].join('.');
    errors[key] = [...(errors[key] ?? []), message];
  }
  throw invalid(errors);
}
