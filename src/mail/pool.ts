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

/** `connecting`: not yet logged in; `envelope`: none of the message's text has gone out; `text`: some may have. */
type Stage = 'connecting' | 'envelope' | 'text';

/** Why a message was not handed over, and how far the conversation had come. */
export type SendError = NodemailerError & { stage: Stage };

/** The server says that it closes the connection, whatever was asked of it (RFC 5321, 3.8). */
export const SERVICE_CLOSING = 421;

/** Whether a connection ended, which a server may do to one that is kept open just when it is used again. */
const isConnectionLost = ({ code, responseCode }: NodemailerError): boolean =>
  responseCode ? responseCode === SERVICE_CLOSING : code === 'ECONNECTION' || code === 'ESOCKET';

/**
 * Opens nodemailer's pool of connections to one mail server, past the part of nodemailer that composes: for a
 * message that is written already, that part takes as long as the conversation with the server.
 */
export function createPool(options: SMTPPoolOptions) {
  const { transporter, getSocket } = openTransport({ ...options, maxRequeues: 0 });
  // A proxy, which the pool is otherwise told of with the first message composed.
  if (getSocket) transporter.getSocket = getSocket;

  function attempt({ messageId, envelope, text }: Written, signal: AbortSignal) {
    let stage: Stage = 'connecting';
    const onRead = () => {
      stage = 'text';
    };
    const mail = {
      data: { signal },
      message: {
        getEnvelope: () => envelope,
        messageId: () => messageId,
        getHeader: () => messageId,
        createReadStream() {
          stage = 'envelope';
          return sourceOf(text, onRead);
        },
      },
    };
    return new Promise<SMTPPoolSentMessageInfo>((resolve, reject) => {
      transporter.send(mail as unknown as PooledMail, (error, info) =>
        error ? reject(Object.assign(error, { stage })) : resolve(info!),
      );
    });
  }

  return {
    /**
     * Sends a message, over a second connection if the first ends before any of its text has gone out.
     *
     * @param signal Breaks the conversation off, or ends the wait for a connection.
     * @throws SendError
     */
    async send(written: Written, signal: AbortSignal): Promise<SMTPPoolSentMessageInfo> {
      try {
        return await attempt(written, signal);
      } catch (error) {
        const { stage } = error as SendError;
        if (stage !== 'envelope' || !isConnectionLost(error as SendError)) throw error;
        return await attempt(written, signal);
      }
    },

    /** Closes the connections that are not in use. */
    close: (): void => transporter.close?.(),
  };
}
