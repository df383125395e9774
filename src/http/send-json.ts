import type { Response } from 'express';

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
