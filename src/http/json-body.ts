import express, { type Request } from 'express';
import { invalid, malformedBody, unsupportedMediaType } from '../errors.js';

/** Largest body of a submission, inflated, in bytes (interface 8). */
export const MAX_BODY_BYTES = 262_144;

/** Buffers a body of any type up to the limit, counted after inflating; beyond it the answer is 413. */
export const readBody = express.raw({ type: () => true, limit: MAX_BODY_BYTES });

const utf8 = new TextDecoder('utf-8', { fatal: true });

export type JsonObject = Record<string, unknown>;

/**
 * Parses a buffered body.
 *
 * @throws 415 when it does not say that it is JSON in UTF-8, 400 when it is not well-formed, 422 when it
 * is no object.
 */
export function parseJsonObject(request: Request): JsonObject {
  if (!request.is('application/json'))
    throw unsupportedMediaType('The Content-Type must be application/json.');
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(request.get('content-type') ?? '')?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw unsupportedMediaType('The charset must be UTF-8.');
  let body: unknown;
  try {
    body = JSON.parse(utf8.decode(Buffer.isBuffer(request.body) ? request.body : new Uint8Array()));
  } catch {
    throw malformedBody('The body is not well-formed JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ body: ['The body must be a JSON object.'] });
  }
  return body as JsonObject;
}
