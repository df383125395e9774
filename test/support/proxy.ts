import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type TcpProxy = Readonly<{
  /** The address behind the proxy, through it. */
  url: string;
  /** From now on nothing comes through; connections stay open and new ones are taken. */
  freeze(): void;
  /** Everything comes through again, what was kept back included. */
  thaw(): void;
  /** From now on nothing comes through the connections that are open, which stay so; new ones work. */
  abandon(): void;
  /** Connects new connections to another server; those that are open stay. */
  redirect(target: string): void;
  /** Closes every connection and takes no other. */
  stop(): Promise<void>;
}>;

/** A TCP proxy on 127.0.0.1, to take a server away from one process only. */
export async function startProxy(target: string): Promise<TcpProxy> {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (frozen) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    abandon() {
      for (const socket of sockets) socket.pause();
    },
    redirect(other) {
      ({ hostname, port } = new URL(other));
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
