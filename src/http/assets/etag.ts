import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** Computes a strong entity tag for the content that these words, without white space, determine. */
export function entityTag(words: readonly string[]): string {
  return `"${createHash('sha256').update(words.join(' ')).digest('base64url').slice(0, 27)}"`;
}

/**
 * Tells whether an `If-None-Match` header names the current entity tag (RFC 9110, section 13.1.2). The header is a
 * list or `*`; the comparison is weak, so that a tag which a proxy has weakened still matches.
 */
export function matchesEntityTag(header: string | undefined, current: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  // Commas may stand in another's tag, whose parts are then none of ours.
  return header.split(',').some((element) => element.trim().replace(/^W\//, '') === current);
}

/**
 * Sets the entity tag of an answer, and answers 304 when the client has what it names.
 *
 * @returns whether it has answered.
 */
export function answerIfKnown(request: Request, response: Response, etag: string): boolean {
  response.setHeader('ETag', etag);
  if (!matchesEntityTag(request.get('if-none-match'), etag)) return false;
  response.status(304).end();
  return true;
}
