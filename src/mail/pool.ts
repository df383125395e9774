import { Readable } from 'node:stream';
import {
  createTransport,
  type NodemailerError,
  type SendMailOptions,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
} from 'nodemailer';

/**
 * Phase of a conversation: `connecting` until the login; `envelope` until the server accepts DATA; `text` while
 * nodemailer reads the composed message; `confirmation` once it has read all of it. From then on the final dot may have
 * gone out: nodemailer does not tell when it does.
 */
export type Phase = 'connecting' | 'envelope' | 'text' | 'confirmation';

/** Why a message was not handed over, and in which phase. */
export type SendError = NodemailerError & { phase: Phase };

type TrackedMail = SendMailOptions & { onPhase(phase: Phase): void };

/** Bytes that nodemailer reads at a time, so that it has not read a large message long before it is sent. */
const PIECE_BYTES = 16_384;

/** Yields the composed message on demand: nodemailer asks once the server has accepted DATA. */
async function* piecesOf(composed: Readable, { onPhase }: TrackedMail): AsyncGenerator<Buffer> {
  const text = Buffer.concat(await composed.toArray());
  for (let at = 0; at < text.length; at += PIECE_BYTES) {
    onPhase('text');
    yield text.subarray(at, at + PIECE_BYTES);
  }
  onPhase('confirmation');
}

/**
 * Tells whether a kept-alive connection ended before anything of the message was read. Nodemailer would then resend the
 * message over another connection; where it may not, it reports an error without a command.
 */
const wasStale = ({ phase, code, command }: SendError): boolean =>
  phase === 'envelope' && code === 'ECONNECTION' && command === undefined;

/** Opens nodemailer's pool of connections to one mail server, and follows each message through its phases. */
export function createPool(options: SMTPPoolOptions) {
  const transport = createTransport({
    ...options,
    pool: true,
    disableFileAccess: true,
    disableUrlAccess: true,
    // With nodemailer's requeueing, the errors of the lost connections would not be reported.
    maxRequeues: 0,
    // A connection that was cut off would keep the process alive while it waits for the server's goodbye.
    socketCloseTimeout: 0,
  });
  transport.use('stream', ({ data, message }, done) => {
    const mail = data as TrackedMail;
    message.processFunc((composed) => {
      mail.onPhase('envelope');
      return Readable.from(piecesOf(composed, mail), { objectMode: false });
    });
    done();
  });

  async function attempt(mail: SendMailOptions, onPhase: (phase: Phase) => void) {
    let current: Phase = 'connecting';
    const follow = (phase: Phase) => {
      current = phase;
      onPhase(phase);
    };
    follow(current);
    const tracked: TrackedMail = { ...mail, onPhase: follow };
    try {
      return await transport.sendMail(tracked);
    } catch (error) {
      throw Object.assign(error as NodemailerError, { phase: current });
    }
  }

  return {
    /** Connections at most; the URL may limit them further. */
    maxConnections: transport.options.maxConnections ?? 1,

    /**
     * Sends a message. When a kept-alive connection turns out to be stale, it uses the next one, until one is new.
     *
     * @param mail The message, with a signal that breaks the conversation off.
     * @param onPhase Called as each phase begins, and in `text` with each piece.
     * @throws SendError
     */
    async send(mail: SendMailOptions, onPhase: (phase: Phase) => void): Promise<SMTPPoolSentMessageInfo> {
      for (;;) {
        try {
          return await attempt(mail, onPhase);
        } catch (error) {
          if (!wasStale(error as SendError)) throw error;
        }
      }
    },

    /** Closes the connections that are not in use. */
    close: (): void => transport.close(),
  };
}
