import {
  createServer,
  type Server as HttpListener,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Express } from 'express';
import { StartError } from '../../errors.js';
import { answerConnectionErrors } from './connection-errors.js';
import { type InFlightResponses, trackResponses } from './in-flight-responses.js';
import { messageClasses } from './message-classes.js';

/** A drain waits this long for requests in flight. */
const CLOSE_TIMEOUT_MS = 7_000;

/** A draining server cuts idle connections once it has had no request for this long, or when that takes too long. */
const IDLE_BEFORE_CUT_MS = 500;
const IDLE_TIMEOUT_MS = 5_000;
const POLL_EVERY_MS = 50;

/**
 * How long a response may wait for its client to read on. It stays in memory meanwhile, and a client that never reads
 * would keep it for ever. The kernel takes more only when a good part of its buffer is free, which takes a client that
 * reads 10 kB a second up to two minutes. A client that waits for the response is not cut.
 */
const READ_TIMEOUT_MS = 300_000;

/** Longest turn of the event loop that counts as idle. An idle turn takes a tenth of this. */
const IDLE_TURN_MS = 0.1;
const IDLE_TURN_TIMEOUT_MS = 500;

/**
 * Timeouts of connections, in milliseconds. Slow clients are cut; the body has a timeout of its own within that of the
 * request. `maxHeaderSize` has room for a captcha token far longer than accepted, so that it is refused as a token, in
 * an answer that the page can read.
 */
const CONNECTIONS: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 32_768,
  requireHostHeader: false,
};

export type HttpServer = Readonly<{
  url: string;
  /**
   * Drains the server. It accepts no new connection, and answers the requests in flight and those that still come in
   * over open connections. Each connection ends with its next answer, or when it has been idle for a moment.
   */
  close(): Promise<void>;
}>;

type Options = Readonly<{
  host: string;
  port: number;
  keepAliveS: number;
  setting: string;
  readTimeoutMs?: number;
}>;

/**
 * Serves an Express app on an address; port 0 takes any free one.
 *
 * @param options.keepAliveS For how long an idle connection is kept. A load balancer has to give up its connections
 *   earlier, or it sends a request into one that is just being closed.
 * @param options.readTimeoutMs A client that reads nothing of its response for so long is cut.
 * @param options.setting The variable that the port comes from, for the error message.
 * @throws StartError when the server cannot listen on the address.
 */
export async function serveHttp(
  app: Express,
  { host, port, keepAliveS, setting, readTimeoutMs = READ_TIMEOUT_MS }: Options,
): Promise<HttpServer> {
  // Express would take `env` from NODE_ENV, and its answer to an error depends on it.
  app.set('env', 'production');
  let isClosing = false;
  const endConnection = (response: ServerResponse | null) => {
    if (response && !response.headersSent) response.setHeader('Connection', 'close');
  };
  let connections = 0;
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  const settings = { ...CONNECTIONS, ...messageClasses(app), keepAliveTimeout: keepAliveS * 1_000 };
  const answer: RequestListener = (request, response) => {
    lastRequestAt = performance.now();
    if (isClosing) endConnection(response);
    app(request, response);
  };
  const server = createServer(settings, answer);
  // Node would drop those after the first 2,000, such as the credentials; their size is limited.
  server.maxHeadersCount = 0;
  // Node would answer 417 without a body to an expectation that it does not know, which may as well be ignored.
  server.on('checkExpectation', answer);
  server.on('connection', () => {
    connections += 1;
  });
  const inFlight = trackResponses(server);
  answerConnectionErrors(server, inFlight);
  cutUnread(server, inFlight, readTimeoutMs);
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
      await idleTurn(() => connections);
      isClosing = true;
      for (const response of inFlight.values()) endConnection(response);
      await drain(server, () => lastRequestAt);
    },
  };
}

/** Stops accepting connections, and resolves when those that there are have ended or been cut. */
async function drain(server: HttpListener, lastRequestAt: () => number): Promise<void> {
  // The close of an HTTP server would cut idle connections at once, and with them a request just sent.
  const closed = new Promise<unknown>((resolve) => Server.prototype.close.call(server, resolve));
  const drainingSince = performance.now();
  const isIdle = () => {
    const now = performance.now();
    return now - lastRequestAt() > IDLE_BEFORE_CUT_MS || now - drainingSince > IDLE_TIMEOUT_MS;
  };
  const idleTimer = setInterval(async () => {
    if (!isIdle()) return;
    await idleTurn(lastRequestAt);
    if (isIdle()) server.closeIdleConnections();
  }, POLL_EVERY_MS);
  const cutTimer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
  await closed;
  clearInterval(idleTimer);
  clearTimeout(cutTimer);
  // Stops the HTTP server's timer that checks connections.
  server.close();
}

/**
 * Cuts connections whose client reads nothing of what has been written for a time. Node's timeout is about a silent
 * connection, so it also comes for an idle one, and for a request whose response takes long, which may go on.
 */
function cutUnread(server: HttpListener, inFlight: InFlightResponses, timeoutMs: number): void {
  server.setTimeout(timeoutMs, (socket) => {
    if (!inFlight.get(socket) || socket.writableLength > 0) socket.destroy();
  });
}

/**
 * Resolves at the end of an idle turn of the event loop, or after half a second without one. A close resets the
 * connections that the kernel has accepted and the process has not. After an idle turn there are hardly any: the event
 * loop takes one new connection a turn.
 *
 * @param count Returns a number that changes with each event that matters, however little time the event takes.
 */
async function idleTurn(count: () => number): Promise<void> {
  const deadline = performance.now() + IDLE_TURN_TIMEOUT_MS;
  // The current turn may be past the point at which it polls the kernel.
  await nextTurn();
  for (;;) {
    const before = count();
    const startedAt = performance.now();
    await nextTurn();
    const now = performance.now();
    if ((now - startedAt < IDLE_TURN_MS && count() === before) || now > deadline) return;
  }
}
