import type { ServerResponse } from 'node:http';

/** Instead of answering properly: never answer, trickle, break off, redirect, a bare status, and so on. */
export type Behaviour =
  | 'normal'
  | 'hang'
  | 'hang_in_body'
  | 'drip'
  | 'reset'
  | 'close_half_way'
  | 'redirect'
  | 'nonsense'
  | 'not_gzip'
  | 'not_brotli'
  | 'empty'
  | 'json_list'
  | 'huge'
  | 'refuse_and_hang'
  | 'refuse_deeply'
  | 'internal_error_once'
  | 'internal_error_then_hang'
  | 'internal_error'
  | number;

/** Answers a request as a provider that is at fault. */
export async function misbehave(behaviour: Behaviour, response: ServerResponse): Promise<void> {
  const { socket } = response;
  if (typeof behaviour === 'number') {
    response.writeHead(behaviour, { 'Content-Type': 'text/html' }).end('<h1>No</h1>');
    return;
  }
  switch (behaviour) {
    case 'hang':
      return;
    case 'hang_in_body':
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"success": true');
      return;
    case 'drip':
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"success": true');
      for (let i = 0; i < 60 && !response.destroyed; i++) {
        response.write(' ');
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      response.end('}');
      return;
    case 'reset':
      socket?.resetAndDestroy();
      return;
    case 'close_half_way':
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '400' });
      response.write('{"success": true', () => socket?.destroy());
      return;
    case 'redirect':
      response.writeHead(302, { Location: '/followed' }).end();
      return;
    case 'nonsense':
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><p>Welcome');
      return;
    case 'not_gzip':
    case 'not_brotli':
      response.writeHead(200, { 'Content-Encoding': behaviour === 'not_gzip' ? 'gzip' : 'br' });
      response.end('{"success": true}');
      return;
    case 'empty':
      response.writeHead(200).end();
      return;
    case 'json_list':
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('[{"success":true}]');
      return;
    case 'huge':
      response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"success": true, "padding": "');
      while (!response.destroyed) {
        response.write('x'.repeat(65_536));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return;
    case 'refuse_and_hang':
      response.writeHead(400, { 'Content-Type': 'application/json' }).write('{"success": fa');
      return;
    case 'refuse_deeply':
      response.writeHead(400).end(`{"error":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
      return;
    default:
      throw new Error(`Nothing is known of ${behaviour}.`);
  }
}
