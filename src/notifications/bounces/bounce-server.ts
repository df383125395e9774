import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { StartError } from '../../errors.js';
import { networkOf } from '../../http/limits/client-ip.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { VERSION } from '../../lib/telemetry/version.js';
import type { BounceAddresses } from './bounce-address.js';
import type { Bounces } from './bounces.service.js';
import { MAX_READ_BYTES } from './delivery-report.js';

/** Maximum bytes of a message. A report quotes the e-mail, which is far below this. */
const MAX_BYTES = 1_000_000;

/** Maximum envelope senders that a message is for: a report is about one e-mail, and each one costs a parse. */
const MAX_RECIPIENTS = 5;

/**
 * Maximum connections, which together keep 6.4 MB of messages, and those of one network, which leave room for others.
 */
const MAX_CONNECTIONS = 50;
const MAX_CONNECTIONS_OF_NETWORK = 10;

/** Maximum sockets with those that are being refused or closed. */
const MAX_SOCKETS = 2 * MAX_CONNECTIONS;

/** Bounds of a message and of a connection, however steadily bytes trickle in. A mail server connects again. */
const DATA_TIMEOUT_MS = 60_000;
const CONNECTION_TIMEOUT_MS = 300_000;

const IDLE_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 1_000;

/** Interval at which a worker tries a port that another worker of its machine holds. */
const RETRY_LISTEN_MS = 5_000;

export type BounceServer = Readonly<{
  /** The port; null while another process holds it. */
  port(): number | null;
  close(): Promise<void>;
}>;

type Options = Readonly<{
  host: string;
  port: number;
  domain: string;
  addresses: Pick<BounceAddresses, 'read'>;
  bounces: Pick<Bounces, 'receive'>;
  log: Logger;
  /** For tests that cannot wait. */
  retryListenMs?: number;
  dataTimeoutMs?: number;
  connectionTimeoutMs?: number;
}>;

type Reply = Error & Readonly<{ responseCode: number; isLast: boolean }>;

/** A refusal with the code and the words of an SMTP reply. */
const reply = (responseCode: number, words: string): Reply =>
  Object.assign(new Error(words), { responseCode, isLast: false });

/** A refusal that may come in the middle of a message, and after which the connection ends. */
const lastReply = (responseCode: number, words: string): Reply =>
  Object.assign(new Error(words), { responseCode, isLast: true });

/**
 * Reads the beginning of a message, which is what `Bounces` looks at, and drops the rest as it comes.
 *
 * @throws the last reply of the connection when the message is too large, or not at its end in time.
 */
async function readBeginning(stream: SMTPServerDataStream, timeoutMs: number): Promise<Buffer> {
  const kept = Buffer.allocUnsafe(MAX_READ_BYTES);
  const timeout = AbortSignal.timeout(timeoutMs);
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(timeout, stream) as AsyncIterable<Buffer>) {
      chunk.copy(kept, Math.min(bytes, kept.length));
      bytes += chunk.length;
      if (bytes > MAX_BYTES) throw lastReply(552, '5.3.4 The message is too large');
    }
  } catch (error) {
    throw timeout.aborted ? lastReply(421, '4.4.2 The message took too long') : error;
  }
  return kept.subarray(0, bytes);
}

/**
 * Listens for SMTP and takes delivery reports: mail to envelope senders that were issued here, and no other.
 *
 * It relays nothing, and never answers by mail, whatever the sender: so no loop can begin here. One of a machine's
 * workers listens; another takes over when it ends.
 */
export async function startBounceServer(options: Options): Promise<BounceServer> {
  const { host, port, domain, addresses, bounces, log, retryListenMs = RETRY_LISTEN_MS } = options;
  const { dataTimeoutMs = DATA_TIMEOUT_MS, connectionTimeoutMs = CONNECTION_TIMEOUT_MS } = options;
  const logError = limitLog(log, 'error');
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isHeld = false;

  async function receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const raw = await readBeginning(stream, dataTimeoutMs);
    const ids = new Set(envelope.rcptTo.flatMap(({ address }) => addresses.read(address) ?? []));
    for (const id of ids) {
      const outcome = await bounces.receive(id, raw).catch(() => {
        throw reply(451, '4.3.0 Try again later');
      });
      if (outcome === 'unrecorded') throw reply(451, '4.3.0 Too soon, try again later');
    }
  }

  function createServer(): SMTPServer {
    /** The connections that were greeted, by the id of their session. */
    const connected = new Map<string, Readonly<{ network: string; timer: NodeJS.Timeout }>>();

    /** Ends a connection. What the client still sends is dropped, and cut off five seconds later. */
    function end(id: string, last?: Reply): void {
      const connection = [...server.connections].find((one) => one.id === id);
      if (last) connection?.send(last.responseCode, last.message);
      connection?.close();
    }

    const server = new SMTPServer({
      name: domain,
      banner: `Formgate ${VERSION}`,
      logger: false,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: MAX_BYTES,
      maxRecipients: MAX_RECIPIENTS,
      maxClients: MAX_CONNECTIONS,
      socketTimeout: IDLE_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onConnect({ id, remoteAddress }, done) {
        const network = networkOf(remoteAddress);
        const ofNetwork = [...connected.values()].filter((one) => one.network === network).length;
        if (ofNetwork >= MAX_CONNECTIONS_OF_NETWORK) {
          done(reply(421, '4.7.0 Too many connections, try again later'));
          return;
        }
        const last = lastReply(421, '4.4.2 The connection took too long');
        connected.set(id, { network, timer: setTimeout(end, connectionTimeoutMs, id, last).unref() });
        done();
      },
      onClose({ id }, done) {
        clearTimeout(connected.get(id)?.timer);
        connected.delete(id);
        done();
      },
      onRcptTo({ address }, _session, done) {
        if (addresses.read(address) === null) done(reply(550, '5.1.1 No such mailbox'));
        else done();
      },
      onData(stream, session, done) {
        receive(stream, session).then(
          () => done(),
          (error: Error | Reply) => {
            done(error);
            if ('isLast' in error && error.isLast) end(session.id);
          },
        );
      },
    });
    // A client that breaks its connection off must not end the process.
    server.on('error', () => undefined);
    server.server.maxConnections = MAX_SOCKETS;
    return server;
  }

  let server: SMTPServer | null = null;

  async function listen(): Promise<void> {
    const listening = createServer();
    listening.server.listen(port, host);
    try {
      await once(listening.server, 'listening');
      if (isClosed) return void listening.close();
      server = listening;
      isHeld = false;
      log.info({ host, port: portOf() }, 'Worker takes delivery reports');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE')
        throw new StartError(`BOUNCE_PORT: cannot listen on ${host}:${port}: ${code}`);
      if (!isHeld) log.info({ host, port }, 'Another process holds BOUNCE_PORT');
      isHeld = true;
      timer = setTimeout(() => void retry(), retryListenMs).unref();
    }
  }

  const retry = async () => {
    if (!isClosed) await listen().catch((error) => logError(error, 'Delivery reports not taken'));
  };
  const portOf = () => (server ? (server.server.address() as AddressInfo).port : null);

  await listen();
  return {
    port: portOf,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      const closing = server;
      if (closing) await new Promise<void>((resolve) => closing.close(() => resolve()));
    },
  };
}
