import { createServer, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Express } from 'express';
import { StartError } from '../errors.js';
import { answerConnectionErrors } from './connection-errors.js';
import { trackAnswers } from './in-flight-responses.js';
import { messageClasses } from './message-classes.js';

/** A stop waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 7_000;

/** A stopping server cuts idle connections once no request has come in for the first, and in any case after the second. */
const CALM_MS = 500;
const CALM_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 50;

/** A turn of the event loop in which nothing happens takes a tenth of this. */
const QUIET_TURN_MS = 0.1;
const QUIET_TIMEOUT_MS = 500;

/**
 * Times in milliseconds. Slow senders are cut: the body has a limit of its own within that of the request.
 * An idle connection outlives the minute for which load balancers keep theirs, so that none sends a request
 * into one that is just being closed. The headers have room for a captcha token far over the length that is
 * accepted, so that it is refused as one, in an answer that the page can read.
 */
const CONNECTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  maxHeaderSize: 32_768,
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
 * Serves an Express app on an address; port 0 takes any free one.
 *
 * @param address.setting the variable that the port comes from, for the fault.
 * @throws StartError when the address cannot be had.
 */
export async function serveHttp(
  app: Express,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<HttpServer> {
  // Otherwise Express takes it from NODE_ENV, and an error's answer depends on it.
  app.set('env', 'production');
  let isClosing = false;
  const endConnection = (response: ServerResponse | null) => {
    if (response && !response.headersSent) response.setHeader('Connection', 'close');
  };
  let connections = 0;
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  const server = createServer({ ...CONNECTIONS, ...messageClasses(app) }, (request, response) => {
    lastRequestAt = performance.now();
    if (isClosing) endConnection(response);
    app(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const underWay = trackAnswers(server);
  answerConnectionErrors(server, underWay);
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
      await quietTurn(() => connections);
      // The close of an HTTP server would cut idle connections at once, and with them a request just sent.
      const closed = new Promise<unknown>((resolve) => Server.prototype.close.call(server, resolve));
      isClosing = true;
      for (const response of underWay.values()) endConnection(response);
      const closingAt = performance.now();
      const isCalm = () => {
        const now = performance.now();
        return now - lastRequestAt > CALM_MS || now - closingAt > CALM_TIMEOUT_MS;
      };
      const look = setInterval(async () => {
        if (!isCalm()) return;
        await quietTurn(() => lastRequestAt);
        if (isCalm()) server.closeIdleConnections();
      }, LOOK_EVERY_MS);
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await closed;
      clearInterval(look);
      clearTimeout(timer);
      // Ends what an HTTP server does regularly.
      server.close();
    },
  };
}

/**
 * Resolves at the end of a turn of the event loop that found nothing to do, so that hardly anything can have
 * come in since the system was asked: what the system has taken in and the process has not, a close would
 * reset. The event loop takes one new connection a turn. Gives up waiting for such a turn after half a second.
 *
 * @param count something that changes with each event that matters, however little time it takes
 */
async function quietTurn(count: () => number): Promise<void> {
  const deadline = performance.now() + QUIET_TIMEOUT_MS;
  // The first turn may be under way, past the point at which the system is asked.
  await nextTurn();
  for (;;) {
    const before = count();
    const startedAt = performance.now();
    await nextTurn();
    const now = performance.now();
    if ((now - startedAt < QUIET_TURN_MS && count() === before) || now > deadline) return;
  }
}
