import type { Readable } from 'node:stream';
import { createTransport, type SMTPPoolOptions, type SMTPPoolSentMessageInfo } from 'nodemailer';

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
function sourceOf(text: string) {
  const source = {
    /** Whether some of it may have gone out. If not, it may go over another connection. */
    readableDidRead: false,
    pipe(stream: Readable): void {
      source.readableDidRead = true;
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
 * Opens nodemailer's pool of connections to one mail server, past the part of nodemailer that composes: for a
 * message that is written already, that part takes as long as the conversation with the server.
 */
export function createPool(options: SMTPPoolOptions) {
  const { transporter, getSocket } = openTransport(options);
  // A proxy, which the pool is otherwise told of with the first message composed.
  if (getSocket) transporter.getSocket = getSocket;

  return {
    /** @param signal Breaks the conversation off, or ends the wait for a connection. */
    send({ messageId, envelope, text }: Written, signal: AbortSignal): Promise<SMTPPoolSentMessageInfo> {
      const mail = {
        data: { signal },
        message: {
          getEnvelope: () => envelope,
          messageId: () => messageId,
          getHeader: () => messageId,
          createReadStream: () => sourceOf(text),
        },
      };
      return new Promise((resolve, reject) => {
        transporter.send(mail as unknown as PooledMail, (error, info) =>
          error ? reject(error) : resolve(info!),
        );
      });
    },

    /** Closes the connections that are not in use. */
    close: (): void => transporter.close?.(),
  };
}
