import { storableText } from '../../lib/text/storable-text.js';
import type { ValidationFault } from './entry-messages.js';
import { type ReadableField, sentItems } from './sent-value.js';

const MAX_DEPTH = 32;
const MAX_KEYS = 1000;

type SplitField = ReadableField & Readonly<{ name: string }>;

/** A JSON value that PostgreSQL can store. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Checks the bounds of a body's shape before other code traverses it: 32 levels, including the body, and
 * 1,000 keys in total, including the items of lists, and the addresses of a text that a field splits at commas.
 */
export function bodyFault(body: object, fields: readonly SplitField[] = []): ValidationFault | null {
  let keys = 0;
  for (const field of fields) {
    const sent = Object.hasOwn(body, field.name) ? (body as Record<string, unknown>)[field.name] : null;
    if (typeof sent === 'string') keys += sentItems(field, sent).length - 1;
  }
  let level: object[] = [body];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { code: 'too_deep' };
    const next: object[] = [];
    for (const container of level) {
      const children = Object.values(container);
      keys += children.length;
      if (keys > MAX_KEYS) return { code: 'too_many' };
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return null;
}

/** Copies a parsed JSON value into one that PostgreSQL can store. Its objects have no prototype. */
export function storableJson(value: unknown): Json {
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return null;
  const copy: { [key: string]: Json } = Object.create(null);
  for (const [key, child] of Object.entries(value)) copy[storableText(key)] = storableJson(child);
  return copy;
}
