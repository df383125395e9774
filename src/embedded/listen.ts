import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Listens on the port, or on a free one when the port is in use; returns `host:port`. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  const start = async (wanted: number) => {
    const listening = once(server, 'listening');
    server.listen(wanted, host);
    await listening;
  };
  try {
    await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    await start(0);
  }
  return `${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
}
