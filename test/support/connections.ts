import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of one gateway of this process. */
export type Connections = Readonly<{
  /** Ends those that wait for a next request, as clients do that have no more to ask. */
  endIdle(): void;
  unwatch(): void;
}>;

/**
 * Watches the connections of the gateway at `url`. Since `fetch` keeps them, a gateway that closes would give each
 * of them half a second for one more request, at the end of every test file.
 */
export function watchConnections(url: string): Connections {
  const port = Number(new URL(url).port);
  const idle = new Set<Socket>();

  function watch(message: unknown): void {
    const { socket, response } = message as { socket: Socket; response: ServerResponse };
    if (socket.localPort !== port) return;
    idle.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  }

  subscribe('http.server.request.start', watch);
  return {
    endIdle() {
      for (const socket of idle) socket.destroy();
    },
    unwatch: () => unsubscribe('http.server.request.start', watch),
  };
}
