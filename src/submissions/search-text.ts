import type { FieldValue } from '../forms/field-value.js';
import type { FormDefinition } from '../forms/form-definition.js';
import type { Json } from '../forms/submission-body.js';

/** The index would grow without use beyond this; in UTF-16 code units. */
const MAX_LENGTH = 8_000;

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) yield* textsIn(child);
  }
}

/** What the inbox search looks into: every text and number that was sent, lower-case, one a line. */
export function searchTextOf(values: Record<string, FieldValue>, undeclared: Record<string, Json>): string {
  let text = '';
  for (const part of textsIn({ ...values, ...undeclared })) {
    if (text.length >= MAX_LENGTH) break;
    text += `${part.slice(0, MAX_LENGTH - text.length).toLowerCase()}\n`;
  }
  return text;
}

/** The addresses in the form's `email` fields, lower-case: by them everything about a person is found. */
export function emailsOf({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] {
  const addresses = fields
    .filter((field) => field.type === 'email')
    .flatMap((field) => values[field.name] ?? [])
    .map((address) => String(address).toLowerCase());
  return [...new Set(addresses)];
}
