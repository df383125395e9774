import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, each with its response in flight; null: the connection is idle. */
export type AnswersUnderWay = ReadonlyMap<Socket, ServerResponse | null>;

/** Tracks the response in flight on each connection, so that a drain ends connections between two responses. */
export function trackAnswers(server: Server): AnswersUnderWay {
  const underWay = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket: Socket) => {
    underWay.set(socket, null);
    socket.once('close', () => underWay.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    underWay.set(socket, response);
    response.once('close', () => {
      if (underWay.get(socket) === response) underWay.set(socket, null);
    });
  });
  return underWay;
}
