import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { StartError } from '../../errors.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { VERSION } from '../../lib/telemetry/version.js';
import type { BounceAddresses } from './bounce-address.js';
import type { Bounces } from './bounces.service.js';

/** Bounds of a message, a connection and all connections. A report quotes the e-mail, which is far below this. */
const MAX_BYTES = 1_000_000;
const MAX_CONNECTIONS = 50;
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
}>;

/** A refusal with the code and the words of an SMTP reply. */
const reply = (responseCode: number, words: string): Error =>
  Object.assign(new Error(words), { responseCode });

/**
 * Listens for SMTP and takes delivery reports: mail to envelope senders that were issued here, and no other.
 *
 * It relays nothing, and never answers by mail, whatever the sender: so no loop can begin here. One of a machine's
 * workers listens; another takes over when it ends.
 */
export async function startBounceServer(options: Options): Promise<BounceServer> {
  const { host, port, domain, addresses, bounces, log, retryListenMs = RETRY_LISTEN_MS } = options;
  const fail = limitLog(log, 'error');
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isHeld = false;

  async function receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<void> {
    const raw = await buffer(stream);
    if (stream.sizeExceeded) throw reply(552, '5.3.4 The message is too large');
    const ids = new Set(envelope.rcptTo.flatMap(({ address }) => addresses.read(address) ?? []));
    for (const id of ids) {
      const outcome = await bounces.receive(id, raw).catch(() => {
        throw reply(451, '4.3.0 Try again later');
      });
      if (outcome === 'unrecorded') throw reply(451, '4.3.0 Too soon, try again later');
    }
  }

  function createServer(): SMTPServer {
    const server = new SMTPServer({
      name: domain,
      banner: `Formgate ${VERSION}`,
      logger: false,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      size: MAX_BYTES,
      maxClients: MAX_CONNECTIONS,
      socketTimeout: IDLE_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onRcptTo({ address }, _session, done) {
        if (addresses.read(address) === null) done(reply(550, '5.1.1 No such mailbox'));
        else done();
      },
      onData(stream, session, done) {
        receive(stream, session).then(() => done(), done);
      },
    });
    // A client that breaks its connection off must not end the process.
    server.on('error', () => undefined);
    return server;
  }

  let server: SMTPServer | null = null;

  async function listen(): Promise<void> {
    const listening = createServer();
    listening.server.listen(port, host);
    try {
      await once(listening.server, 'listening');
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
    if (!isClosed) await listen().catch((error) => fail(error, 'Delivery reports not taken'));
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
