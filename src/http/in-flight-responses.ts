import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, each with the answer that is under way on it; null: none is. */
export type AnswersUnderWay = ReadonlyMap<Socket, ServerResponse | null>;

/**
 * Keeps book of the answers under way, for whoever has to end connections between two of them.
 */
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
