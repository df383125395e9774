import { createServer, type RequestListener, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StartError } from '../errors.js';
import { answerConnectionErrors } from './connection-errors.js';

/** A stop waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 7_000;

/** While a server stops, a connection on which nothing comes in for this long may be cut. */
const IDLE_MS = 500;

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

export type HttpServer = Readonly<{
  url: string;
  /**
   * Takes no new connection, answers what is in flight and whatever still comes in over open connections,
   * each of which ends with its next answer or when it has been idle for a moment.
   */
  close(): Promise<void>;
}>;

/**
 * Serves HTTP on an address; port 0 takes any free one.
 *
 * @param address.setting the variable that the port comes from, for the fault.
 * @throws StartError when the address cannot be had.
 */
export async function serveHttp(
  listener: RequestListener,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<HttpServer> {
  let isClosing = false;
  const inFlight = new Set<ServerResponse>();
  const endConnection = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  const server = createServer(CONNECTIONS, (request, response) => {
    if (isClosing) endConnection(response);
    inFlight.add(response);
    response.once('close', () => inFlight.delete(response));
    listener(request, response);
  });
  answerConnectionErrors(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(`Port ${port} on ${host} is already in use. Set ${setting} to a free one.`)
          : new StartError(`Cannot listen on port ${port} of ${host}: ${error.message}`),
      );
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const printedHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;

  return {
    url: `http://${printedHost}:${address.port}`,
    async close() {
      isClosing = true;
      for (const response of inFlight) endConnection(response);
      // What has connected already is taken in first; the system would reset it.
      await nextTurn();
      await nextTurn();
      await new Promise<void>((resolve) => {
        const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        // The close of an HTTP server would cut idle connections, and with them a request just sent.
        Server.prototype.close.call(server, () => {
          clearInterval(idle);
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
