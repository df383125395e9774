import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { chunksOf } from './downloads.js';

/**
 * Answers with serialized JSON, for frequent answers: Express's own `json` parses the content type that it has just
 * set, and checks whether the answer is still fresh, which takes as long as the sending.
 *
 * @param encoding `latin1` for a text whose characters are the bytes to be sent.
 */
export function sendJson(response: Response, json: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  // Node would omit the length for HEAD and HTTP/1.0.
  response.setHeader('Content-Length', Buffer.byteLength(json, encoding));
  response.end(json, encoding);
}

/** An entry of a list that was written as JSON before, and its bytes. */
export type JsonEntry = Readonly<{ json: string; bytes: number }>;

const LIST_BEGINS = '{"data":[';
const LIST_ENDS = ']}';

/** Maximum bytes of a list that is sent whole. */
const MAX_UNCHUNKED = 65_536;

async function* listTexts(entries: readonly JsonEntry[]): AsyncGenerator<string> {
  let separator = LIST_BEGINS;
  yield* chunksOf([entries], ({ json }) => {
    const text = `${separator}${json}`;
    separator = ',';
    return text;
  });
  yield LIST_ENDS;
}

/**
 * Answers `{data}` with a list in chunks, at the pace of its reader and with turns for other requests: it may be
 * megabytes.
 */
export async function sendList(response: Response, entries: readonly JsonEntry[]): Promise<void> {
  const separators = Math.max(entries.length - 1, 0);
  const around = LIST_BEGINS.length + separators + LIST_ENDS.length;
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, around);
  if (bytes <= MAX_UNCHUNKED) {
    sendJson(response, `${LIST_BEGINS}${entries.map(({ json }) => json).join(',')}${LIST_ENDS}`);
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
  try {
    await pipeline(listTexts(entries), response);
  } catch {
    // The client has gone, or else it must see a broken transfer.
    response.destroy();
  }
}
