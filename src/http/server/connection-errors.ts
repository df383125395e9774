import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuid } from 'uuid';
import type { InFlightResponses } from './in-flight-responses.js';
import { cutLater } from './linger.js';

/** The status for each error of Node's HTTP parser; any other is answered 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

function answer(socket: Socket, status: number): void {
  const reason = STATUS_CODES[status];
  const body = JSON.stringify(status === 413 ? { error: 'payload_too_large' } : { message: `${reason}.` });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    'X-Content-Type-Options: nosniff',
    // The page that sent it is not known here, and a malformed request reveals nothing about any website.
    'Access-Control-Allow-Origin: *',
    'Access-Control-Expose-Headers: X-Request-Id',
    `X-Request-Id: ${uuid()}`,
  ];
  socket.end([...head, '', body].join('\r\n'));
  socket.resume();
  socket.once('close', cutLater(socket));
}

/**
 * Answers connections that never send a valid request, such as headers that are too slow, too large or malformed.
 * The answer has the shape of the other errors, and closes the connection.
 */
export function answerConnectionErrors(server: Server, inFlight: InFlightResponses): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Written now, the error would end up inside the response in flight.
    if (!socket.writable || inFlight.get(socket)?.headersSent) socket.destroy();
    else answer(socket, STATUS_OF[error.code ?? ''] ?? 400);
  });
}
