import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StartError } from '../errors.js';

/** A stop waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 7_000;

export type HttpServer = Readonly<{
  url: string;
  /**
   * Takes no new connection, answers what is in flight and whatever still comes in over open connections,
   * each of which ends with its next answer or after five idle seconds.
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
  const server = createServer((request, response) => {
    if (isClosing) response.setHeader('Connection', 'close');
    listener(request, response);
  });
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
      // What has connected already is taken in first; the system would reset it.
      await nextTurn();
      await nextTurn();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
        // The close of an HTTP server would cut idle connections, and with them a request just sent.
        Server.prototype.close.call(server, () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
