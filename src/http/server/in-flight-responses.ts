import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, each with its response in flight; null: the connection is idle. */
export type InFlightResponses = ReadonlyMap<Socket, ServerResponse | null>;

/** Tracks the response in flight on each connection, so that a drain ends connections between two responses. */
export function trackResponses(server: Server): InFlightResponses {
  const inFlight = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket: Socket) => {
    inFlight.set(socket, null);
    socket.once('close', () => inFlight.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    inFlight.set(socket, response);
    response.once('close', () => {
      if (inFlight.get(socket) === response) inFlight.set(socket, null);
    });
  });
  return inFlight;
}
