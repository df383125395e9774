import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A message that the sink accepted. */
export interface SinkMessage {
  /** Address of MAIL FROM. */
  sender: string;
  /** Addresses of RCPT TO that were accepted. */
  recipients: string[];
  /** The message as it came over the wire, dots unstuffed. */
  raw: Buffer;
  mail: Email;
}

/**
 * What the sink does at one stage: a refusal such as `'450 4.2.1 Mailbox busy'`, `'hang'` (never answers),
 * `'reset'` (drops the connection), null (accepts); or a function of the address (`message` stage: of the raw
 * text) that chooses anew each time.
 */
export type Reply = string | null | ((subject: string) => string | null);

export interface SinkBehaviour {
  mail?: Reply;
  rcpt?: Reply;
  /** The answer to the end of the message. */
  message?: Reply;
  /** Awaited between keeping a message and saying so, which `'reset'` prevents. */
  confirm?: (message: SinkMessage) => Promise<'reset' | undefined>;
  /** Demands this login, over whatever connection. */
  login?: { user: string; password: string };
  /** Offers STARTTLS, with a certificate that nobody vouches for. */
  startTls?: boolean;
  /** Speaks TLS from the first byte, with a certificate that nobody vouches for. */
  tls?: boolean;
}

/** A real SMTP server on 127.0.0.1 that keeps what it accepts, or refuses as told. */
export async function startSmtpSink({ behaviour = {} }: { behaviour?: SinkBehaviour } = {}) {
  const messages: SinkMessage[] = [];
  const waiting = new Set<() => void>();
  const sockets = new Map<number, Socket>();
  const logins: { isEncrypted: boolean }[] = [];

  /** Answers one command of the session as the behaviour says; true when the command is accepted. */
  function isAccepted(
    stage: Reply | undefined,
    subject: string,
    session: { remotePort: number },
    done: (error?: Error) => void,
  ) {
    const reply = typeof stage === 'function' ? stage(subject) : stage;
    if (!reply) return true;
    if (reply === 'reset') sockets.get(session.remotePort)?.resetAndDestroy();
    else if (reply !== 'hang') {
      done(Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) }));
    }
    return false;
  }

  const server = new SMTPServer({
    logger: false,
    secure: behaviour.tls ?? false,
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: [...(behaviour.startTls ? [] : ['STARTTLS']), ...(behaviour.login ? [] : ['AUTH'])],
    onAuth(given, session, done) {
      logins.push({ isEncrypted: session.secure });
      const { user, password } = behaviour.login!;
      const isRight = given.username === user && given.password === password;
      if (isRight) done(null, { user });
      else done(Object.assign(new Error('5.7.8 Wrong user or password'), { responseCode: 535 }));
    },
    onMailFrom({ address }, session, done) {
      if (isAccepted(behaviour.mail, address, session, done)) done();
    },
    onRcptTo({ address }, session, done) {
      if (isAccepted(behaviour.rcpt, address, session, done)) done();
    },
    async onData(stream, session, done) {
      const raw = await buffer(stream).catch(() => null);
      if (!raw || !isAccepted(behaviour.message, raw.toString('latin1'), session, done)) return;
      const { mailFrom, rcptTo } = session.envelope;
      const message: SinkMessage = {
        sender: mailFrom ? mailFrom.address : '',
        recipients: rcptTo.map(({ address }) => address),
        raw,
        mail: await PostalMime.parse(raw),
      };
      messages.push(message);
      for (const look of waiting) look();
      if ((await behaviour.confirm?.(message)) === 'reset') {
        sockets.get(session.remotePort)?.resetAndDestroy();
        return;
      }
      done(null, '2.0.0 Kept');
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const port = socket.remotePort!;
    sockets.set(port, socket);
    socket.on('close', () => sockets.delete(port));
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const login = behaviour.login ? `${behaviour.login.user}:${behaviour.login.password}@` : '';

  return {
    url: `${behaviour.tls ? 'smtps' : 'smtp'}://${login}127.0.0.1:${port}`,
    /** In the order of arrival. */
    messages: messages as readonly SinkMessage[],

    /** Every login that was tried. */
    logins: logins as readonly { isEncrypted: boolean }[],

    /** Connections open at the moment. */
    connections: () => sockets.size,

    /** The first message, past or to come, that satisfies the predicate; rejects after `timeoutMs`. */
    waitFor(predicate: (message: SinkMessage) => boolean, timeoutMs = 60_000): Promise<SinkMessage> {
      return new Promise((resolve, reject) => {
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(look);
        };
        const look = () => {
          const found = messages.find(predicate);
          if (!found) return;
          finish();
          resolve(found);
        };
        const timer = setTimeout(() => {
          finish();
          reject(new Error(`No such message within ${timeoutMs} ms; ${messages.length} others arrived.`));
        }, timeoutMs);
        waiting.add(look);
        look();
      });
    },

    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
}
