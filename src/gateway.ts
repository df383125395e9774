import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { StartError } from './errors.js';
import type { Services } from './services.js';

/** A stop waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 8_000;

export type Gateway = Readonly<{ url: string; close(): Promise<void> }>;

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(`Port ${port} on ${host} is already in use. Set PORT to a free one.`)
          : new StartError(`Cannot listen on port ${port} of ${host}: ${error.message}`),
      );
    });
    server.listen(port, host, resolve);
  });
}

/** Serves HTTP until it is closed; closing lets the requests in flight finish. */
export async function startGateway(services: Services): Promise<Gateway> {
  const { host, port } = services.config.http;
  const server = createServer(createApp(services));
  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  const printedHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const url = `http://${printedHost}:${address.port}`;
  services.log.info({ url }, 'Gateway listens');
  if (services.config.redisUrl === null) {
    services.log.info('Without REDIS_URL limits are counted in memory: run one gateway process only');
  }

  return {
    url,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        server.close(() => {
          clearTimeout(timer);
          services.log.info('Gateway stopped');
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
