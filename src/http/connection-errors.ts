import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuid } from 'uuid';
import type { AnswersUnderWay } from './in-flight-responses.js';

/** What Node's HTTP parser gives up on, and how that is answered; the rest is a 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/** How long a sender may go on unread, so as to find the answer before the line is cut. */
const LINGER_MS = 5_000;

function answer(socket: Socket, status: number): void {
  const reason = STATUS_CODES[status];
  const body = JSON.stringify(status === 413 ? { error: 'payload_too_large' } : { message: `${reason}.` });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'X-Content-Type-Options: nosniff',
    // Which page asked is not known here. That something was malformed is no secret of any website.
    'Access-Control-Allow-Origin: *',
    'Access-Control-Expose-Headers: X-Request-Id',
    `X-Request-Id: ${uuid()}`,
  ];
  socket.end([...head, '', body].join('\r\n'));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Answers what never becomes a request, such as headers that are too slow, too large or malformed, in the
 * shape of our other errors, and closes the connection.
 */
export function answerConnectionErrors(server: Server, underWay: AnswersUnderWay): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Written now, it would end up in the midst of the answer under way.
    if (!socket.writable || underWay.get(socket)?.headersSent) socket.destroy();
    else answer(socket, STATUS_OF[error.code ?? ''] ?? 400);
  });
}
