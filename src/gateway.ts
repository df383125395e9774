import { createServer, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.js';
import { StartError } from './errors.js';
import { answerConnectionErrors } from './http/connection-errors.js';
import type { Services } from './services.js';

/** A stop waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 8_000;

/**
 * Times in milliseconds. Slow senders are cut: the body has a limit of its own within that of the request.
 * An idle connection outlives the minute for which load balancers keep theirs, so that none sends a request
 * into one that is just being closed.
 */
const CONNECTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 16_384,
};

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

/**
 * From when it is called, every answer that has not begun ends its connection: a client that keeps its
 * connection busy would otherwise never let go, and be cut off in the middle of a request at last.
 */
function endConnectionsWhenAsked(server: Server): () => void {
  const inFlight = new Set<ServerResponse>();
  let isClosing = false;
  const endConnection = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  server.prependListener('request', (_request, response) => {
    if (isClosing) endConnection(response);
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
  });
  return () => {
    isClosing = true;
    for (const response of inFlight) endConnection(response);
  };
}

/** Serves HTTP until it is closed; closing lets the requests in flight finish. */
export async function startGateway(services: Services): Promise<Gateway> {
  const { host, port } = services.config.http;
  const server = createServer(CONNECTIONS, createApp(services));
  answerConnectionErrors(server);
  const endConnections = endConnectionsWhenAsked(server);
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
        endConnections();
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
