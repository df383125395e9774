import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What ends with each connection. One listener serves all responses of a connection, of which a client may pipeline
 * many.
 */
const listenersOf = new WeakMap<Socket, Set<() => void>>();

function listenersOn(socket: Socket): Set<() => void> {
  const known = listenersOf.get(socket);
  if (known) return known;
  const listeners = new Set<() => void>();
  listenersOf.set(socket, listeners);
  socket.once('close', () => {
    for (const listener of [...listeners]) listener();
  });
  return listeners;
}

/**
 * Calls a listener once, when a response has been sent or its connection is closed. Node.js emits no `close` on a
 * response that waits behind another one of a connection that closes.
 */
export function whenOver(response: ServerResponse, listener: () => void): void {
  const { socket } = response.req;
  if (response.closed || socket.destroyed) {
    listener();
    return;
  }
  const listeners = listenersOn(socket);
  const end = () => {
    response.off('close', end);
    if (listeners.delete(end)) listener();
  };
  listeners.add(end);
  response.once('close', end);
}
