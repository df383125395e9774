import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A TCP server on 127.0.0.1 that treats each connection as told: for servers that do not play their part. */
export async function startBrokenServer(treat: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    treat(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    /** Host and port. */
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
