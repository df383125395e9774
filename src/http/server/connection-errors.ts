import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
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
  socket.write([...head, '', body].join('\r\n'));
  endSoon(socket);
}

/** Ends a connection, and goes on reading for a while, so that the client is not cut before it has read the answer. */
function endSoon(socket: Socket): void {
  socket.end();
  socket.resume();
  socket.once('close', cutLater(socket));
}

/** Lets the response in flight be the connection's last one. */
function endAfter(response: ServerResponse, socket: Socket): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  // Node's own end would reset a connection over which the client still sends.
  socket.destroySoon = () => endSoon(socket);
  response.once('close', () => socket.destroySoon());
}

/** Tells of connections whether what follows on them belongs to a request that has been answered already. */
function trackAnswered(server: Server): (socket: Socket) => boolean {
  const latest = new WeakMap<Socket, IncomingMessage>();
  server.on('request', (request: IncomingMessage) => latest.set(request.socket, request));
  return (socket) => latest.get(socket)?.complete === false;
}

/**
 * Answers connections that never send a valid request, such as headers that are too slow, too large or malformed.
 * The answer has the shape of the other errors, and closes the connection. What follows a whole request gets no answer
 * of its own while that request is being processed: its sender would take the error for that of the request. Neither
 * does the rest of a body whose request has been answered without it.
 */
export function answerConnectionErrors(server: Server, inFlight: InFlightResponses): void {
  /** The connections that will end. Node reports an error again with each further piece that it receives. */
  const ending = new WeakSet<Socket>();
  const isAnswered = trackAnswered(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (ending.has(socket)) return;
    ending.add(socket);
    const response = inFlight.get(socket);
    if (socket.writable && response?.req.complete) endAfter(response, socket);
    // Written now, the error would end up inside the response in flight.
    else if (!socket.writable || response?.headersSent) socket.destroy();
    else if (!response && isAnswered(socket)) endSoon(socket);
    else answer(socket, STATUS_OF[error.code ?? ''] ?? 400);
  });
}
