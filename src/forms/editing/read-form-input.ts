import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidInput, readInput } from '../../graphql/read-input.js';
import type { FormContent } from '../definition/form.mapper.js';
import type { FormPatterns } from '../definition/patterns.js';
import { formInput, readForm } from './form-input.schema.js';

/** A form that was read from an input, with its compiled patterns. */
export type FormDraft = Readonly<{ content: FormContent; patterns: FormPatterns }>;

/**
 * Reads a whole form from the panel's input.
 *
 * @param locales the platform's languages
 * @param name The argument's name, with which the paths of its faults begin.
 * @throws 422 that names every faulty path.
 */
export async function readFormInput(
  slug: string,
  input: unknown,
  locales: readonly string[],
  name = 'input',
): Promise<FormDraft> {
  // Each pass over a large form takes some ten milliseconds, GraphQL's own included, so yield before the next.
  await nextTurn();
  const entry = readInput(formInput(locales), input, name);
  await nextTurn();
  const { faults, ...draft } = await readForm(slug, entry);
  if (faults.length > 0) throw invalidInput(faults, name);
  return draft;
}
