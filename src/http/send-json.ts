import type { Response } from 'express';

/**
 * Answers with JSON that is written already. For what is answered often: Express's own `json` parses the content type
 * that it has just set, and looks whether the answer is still fresh, which takes as long as the sending.
 */
export function sendJson(response: Response, json: string | Buffer): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  // Node would leave it out for HEAD and HTTP/1.0.
  response.setHeader('Content-Length', Buffer.byteLength(json));
  response.end(json);
}
