import type { Readable } from 'node:stream';
import {
  createTransport,
  type NodemailerError,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
} from 'nodemailer';

/** A message that is written already. */
export type Written = Readonly<{
  /** With its angle brackets. */
  messageId: string;
  envelope: Readonly<{ from: string; to: string[] }>;
  /** ASCII, each line ended by CRLF. */
  text: string;
}>;

export type Pool = ReturnType<typeof createPool>;

const openTransport = (options: SMTPPoolOptions) => createTransport({ ...options, pool: true });

type PooledMail = Parameters<ReturnType<typeof openTransport>['transporter']['send']>[0];

const END_OF_DATA = '.\r\n';

/** What a socket takes before it asks to wait. */
const LARGE = 16_384;

/**
 * A text in the pieces in which it follows the command DATA (RFC 5321, 4.5.2). A small one is a single write. The end
 * of a large one waits until the rest has gone out, so that a conversation broken off before leaves no message.
 */
function piecesOf(text: string): string[] {
  const data = text.replaceAll('\r\n.', '\r\n..');
  return data.length < LARGE ? [data + END_OF_DATA] : [data, END_OF_DATA];
}

/**
 * What nodemailer reads a message from. Its own stream looks at each byte for line ends to mend and dots to double;
 * what goes in at that stream's far end is left as it is.
 */
function sourceOf(text: string, onRead: () => void) {
  const source = {
    // Untouched, it would be sent over other connections in silence, and why the first were lost never be told.
    readableDidRead: true,
    pipe(stream: Readable): void {
      onRead();
      for (const piece of piecesOf(text)) stream.push(piece, 'latin1');
      stream.push(null);
    },
    // Nothing is read, so nothing can fail or has to be released.
    on: () => source,
    removeListener: () => source,
    destroy: () => source,
  };
  return source;
}

/**
 * How far a message has come: `waiting` for a connection, `connecting` until the login, `envelope` while none of its
 * text has gone out, `text` once some may have.
 */
type Stage = 'waiting' | 'connecting' | 'envelope' | 'text';

/** Why a message was not handed over. */
export type SendError = NodemailerError & {
  stage: Stage;
  /** Whether the connection had been kept open since another message. */
  isKept: boolean;
};

/** The server says that it closes the connection, whatever was asked of it (RFC 5321, 3.8). */
export const SERVICE_CLOSING = 421;

const CONNECTION_LOST = new Set(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT']);

/** Whether a kept connection turned out to have ended, so that nothing of the message has gone out. */
const wasStale = ({ stage, isKept, code = '', responseCode }: SendError): boolean =>
  stage === 'envelope' &&
  isKept &&
  (responseCode ? responseCode === SERVICE_CLOSING : CONNECTION_LOST.has(code));

/**
 * Opens nodemailer's pool of connections to one mail server, past the part of nodemailer that composes: for a
 * message that is written already, that part takes as long as the conversation with the server.
 */
export function createPool(options: SMTPPoolOptions) {
  const { transporter, getSocket } = openTransport({ ...options, maxRequeues: 0 });
  // A proxy, which the pool is otherwise told of with the first message composed.
  if (getSocket) transporter.getSocket = getSocket;

  function attempt({ messageId, envelope, text }: Written, signal: AbortSignal) {
    let stage: Stage = 'waiting';
    let isKept = false;
    const onRead = () => {
      stage = 'text';
    };
    const mail = {
      data: { signal },
      message: {
        // Nodemailer writes down in it how the server took each command.
        getEnvelope: () => ({ ...envelope }),
        messageId: () => messageId,
        // Asked for when a connection has been chosen; over one that is kept the conversation begins in the same turn.
        getHeader() {
          stage = 'connecting';
          queueMicrotask(() => {
            isKept = stage !== 'connecting';
          });
          return messageId;
        },
        createReadStream() {
          stage = 'envelope';
          return sourceOf(text, onRead);
        },
      },
    };
    return new Promise<SMTPPoolSentMessageInfo>((resolve, reject) => {
      transporter.send(mail as unknown as PooledMail, (error, info) =>
        error ? reject(Object.assign(error, { stage, isKept })) : resolve(info!),
      );
    });
  }

  return {
    /**
     * Sends a message. Where a connection that was kept open has ended meanwhile, it tries the next one, until one
     * is new.
     *
     * @param signal Breaks the conversation off, or ends the wait for a connection.
     * @throws SendError
     */
    async send(written: Written, signal: AbortSignal): Promise<SMTPPoolSentMessageInfo> {
      for (;;) {
        try {
          return await attempt(written, signal);
        } catch (error) {
          if (!wasStale(error as SendError)) throw error;
        }
      }
    },

    /** Closes the connections that are not in use. */
    close: (): void => transporter.close?.(),
  };
}
