import type { Response } from 'express';

/**
 * Answers with JSON. For what is answered often: Express's own `json` parses the content type that it has just set,
 * and looks whether the answer is still fresh, which takes as long as the sending.
 */
export function sendJson(response: Response, body: object): void {
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  // Node would leave it out for HEAD and HTTP/1.0.
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
