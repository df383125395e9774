import { notFound } from '../errors.js';
import { MAX_INT } from '../lib/max-int.js';
import { isUuid } from '../lib/text/uuid.js';

/**
 * Parses an `ID` that is an integer.
 *
 * @param what Names the object in the error, as in "Team".
 * @throws 404 when the text is no integer id: no object has it.
 */
export function intId(text: string, what: string): number {
  const id = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= MAX_INT)) throw notFound(`${what} not found.`);
  return id;
}

/**
 * Parses an `ID` that is a UUID.
 *
 * @param what Names the object in the error, as in "Website".
 * @throws 404 when the text is no UUID: no object has it.
 */
export function uuidId(text: string, what: string): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw notFound(`${what} not found.`);
  return id;
}
