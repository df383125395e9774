import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import {
  type ApiError,
  invalid,
  malformedRequest,
  payloadTooLarge,
  requestTimedOut,
  unsupportedMediaType,
} from '../errors.js';
import { DECODERS } from '../lib/decoders.js';
import { isObject } from '../lib/is-object.js';
import { parseExactJson } from '../lib/text/json.js';
import { cutLater } from './server/linger.js';

/** Largest body of a submission, inflated, in bytes. */
export const MAX_BODY_BYTES = 262_144;

/** Time in which a body must arrive: 256 KB at 18 KB/s. */
const BODY_TIMEOUT_MS = 15_000;

/** Initial size of the buffer for a body, unless a smaller body is announced. */
const FIRST_BUFFER_BYTES = 8_192;

/** Reads the bytes of a request as they come over the wire, never holding more than the limit. */
function receive(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const announced = Number(request.headers['content-length'] ?? 0);
    // Chunks are copied into one buffer: single bytes would otherwise cost a hundred times their size in memory.
    let buffer = Buffer.allocUnsafe(Math.min(announced || FIRST_BUFFER_BYTES, FIRST_BUFFER_BYTES));
    let size = 0;
    let isOver = false;

    function fail(error: ApiError): void {
      isOver = true;
      clearTimeout(timer);
      request.off('data', onData);
      // The request stays in memory while the rest of it is discarded.
      buffer = Buffer.alloc(0);
      reject(error);
    }
    function onData(chunk: Buffer): void {
      const end = size + chunk.length;
      if (end > MAX_BODY_BYTES) {
        fail(payloadTooLarge());
        return;
      }
      if (end > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.min(MAX_BODY_BYTES, Math.max(end, buffer.length * 2)));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      chunk.copy(buffer, size);
      size = end;
    }
    function onEnd(): void {
      isOver = true;
      clearTimeout(timer);
      resolve(buffer.subarray(0, size));
    }
    function onClose(): void {
      if (!isOver) fail(malformedRequest('The body does not have the announced length.'));
    }
    const timer = setTimeout(() => fail(requestTimedOut()), BODY_TIMEOUT_MS);

    request.on('error', () => undefined);
    request.on('data', onData).once('end', onEnd).once('close', onClose);
    if (request.destroyed) onClose();
    else if (announced > MAX_BODY_BYTES) fail(payloadTooLarge());
  });
}

async function decode(body: Buffer, encoding: string): Promise<Buffer> {
  const decoder = DECODERS.get(encoding);
  if (!decoder) throw unsupportedMediaType('The Content-Encoding is not supported.');
  try {
    return await decoder(body, { maxOutputLength: MAX_BODY_BYTES });
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge
      ? payloadTooLarge()
      : malformedRequest('The body is not well-formed in its Content-Encoding.');
  }
}

/** Discards what a refused client still sends, and cuts the connection when it does not end in time. */
function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const callOff = cutLater(request.socket);
  request.once('end', callOff).once('close', callOff);
}

/** A body that has arrived: inflated, or with the refusal of one that cannot be inflated. */
export type Body = Readonly<{ bytes: Buffer } | { refusal: ApiError }>;

/** Leaves the refusal of a body that cannot be inflated to the parser, so that earlier checks answer first. */
function refusedUnlessTooLarge(refusal: ApiError): Body {
  if (refusal.status === 413) throw refusal;
  return { refusal };
}

/**
 * Buffers a body of any type, inflated.
 *
 * @throws 413 as soon as more than 262,144 bytes are announced, have arrived, or come out of inflating;
 * 408 when the body does not arrive in time, 400 when it is cut.
 */
export async function readBody<Params>(request: Request<Params>): Promise<Body> {
  try {
    const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    const received = await receive(request);
    if (encoding === 'identity') return { bytes: received };
    return await decode(received, encoding).then((bytes) => ({ bytes }), refusedUnlessTooLarge);
  } catch (error) {
    drain(request);
    throw error;
  }
}

/** Tells whether a body is not empty. */
export const hasBytes = (body: Body): boolean => 'refusal' in body || body.bytes.length > 0;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export type JsonObject = Record<string, unknown>;

const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;

/** JSON, also declared as plain text, which a page may send to another host without a preflight. */
export const JSON_OR_TEXT_TYPE = /^\s*(application\/json|text\/plain)\s*(;|$)/i;

function decodeText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformedRequest('The body is not UTF-8.');
  }
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof RangeError)
      throw invalid({ body: ['The body must not have more than 1,000 long numbers.'] });
    throw malformedRequest(`The body is not well-formed JSON: ${(error as SyntaxError).message}.`);
  }
}

/**
 * Parses a buffered body. The last of duplicate keys counts; a number that a double does not hold becomes its text.
 *
 * @throws 415 when the request does not declare JSON in UTF-8 or has an unknown Content-Encoding, 400 when the body
 * is not well-formed, 422 when it is no object or has more than 1,000 numbers that a double may not hold.
 */
export function parseJsonObject<Params>(
  { headers }: Request<Params>,
  body: Body,
  accepted = JSON_TYPE,
): JsonObject {
  const type = headers['content-type'] ?? '';
  if (!accepted.test(type)) throw unsupportedMediaType('The Content-Type must be application/json.');
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(type)?.[1];
  if (charset && !/^utf-?8$/i.test(charset)) throw unsupportedMediaType('The charset must be UTF-8.');
  if ('refusal' in body) throw body.refusal;
  if (body.bytes.length === 0) throw malformedRequest('The body is empty, not a JSON object.');
  const value = parseJson(decodeText(body.bytes));
  if (!isObject(value)) throw invalid({ body: ['The body must be a JSON object.'] });
  return value;
}
