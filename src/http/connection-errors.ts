import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { v7 as uuid } from 'uuid';

/** What Node's HTTP parser gives up on, and how that is answered; the rest is a 400. */
const STATUS_OF: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers what never becomes a request, such as headers that are too slow, too large or malformed, in the
 * shape of our other errors, and closes the connection.
 */
export function answerConnectionErrors(server: Server): void {
  const answering = new WeakSet<object>();
  server.on('request', (request, response) => {
    answering.add(request.socket);
    response.once('close', () => answering.delete(request.socket));
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Written now, it would end up in the midst of the answer under way.
    if (!socket.writable || answering.has(socket)) {
      socket.destroy();
      return;
    }
    const status = STATUS_OF[error.code ?? ''] ?? 400;
    const body = JSON.stringify({ message: `${STATUS_CODES[status]}.` });
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Connection: close',
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${body.length}`,
        'X-Content-Type-Options: nosniff',
        `X-Request-Id: ${uuid()}`,
        '',
        body,
      ].join('\r\n'),
      () => socket.destroy(),
    );
  });
}
