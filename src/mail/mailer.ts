import { createTransport, type NodemailerError, type SMTPPoolSentMessageInfo } from 'nodemailer';
import { isEmailAddress } from '../lib/email-address.js';
import { singleLine } from '../lib/text.js';

/** Who a message is from: a display name, which may be empty, and an address. */
export interface Mailbox {
  name: string;
  address: string;
}

/**
 * A message from Formgate. The same message sent twice is the same bytes on the wire, so that a retry
 * after a lost answer can be recognised as a duplicate by whoever receives both.
 */
export interface MailMessage {
  /** Names the message for ever: its Message-ID and its MIME boundary derive from it. */
  id: string;
  /** The Date header; whole seconds count. */
  date: Date;
  /** Addresses. One that is malformed counts as refused. */
  to: readonly string[];
  /** Address that an answer goes to; left out of the message unless it is exactly one address. */
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
}

/**
 * How one attempt ended. `deferred`: try the same message again later. `failed`: no later attempt can help.
 * `detail` is the server's answer or the network error, 500 printable characters at most; it may quote
 * an address, so it belongs in the database and not in a log.
 */
export type Delivery =
  | { outcome: 'sent'; smtpCode: number; detail: string }
  | { outcome: 'deferred'; smtpCode: number | null; detail: string }
  | { outcome: 'failed'; smtpCode: number | null; detail: string };

/** How long to wait for a mail server, in milliseconds. */
export interface MailTimeouts {
  /** Name lookup, connection, TLS and greeting together. */
  connectMs: number;
  /** Silence in the middle of a conversation. */
  silenceMs: number;
  /** The whole attempt, the wait for a free connection included. */
  attemptMs: number;
}

export type Mailer = ReturnType<typeof createMailer>;

const DEFAULT_TIMEOUTS: MailTimeouts = { connectMs: 10_000, silenceMs: 15_000, attemptMs: 25_000 };

const MAX_DETAIL_LENGTH = 500;

/** A MIME boundary holds 70 characters, of which nodemailer takes 14. */
const MESSAGE_ID = /^[A-Za-z0-9.-]{1,56}$/;

/**
 * Opens a pool of kept-alive connections to one mail server. Nothing is connected before the first message.
 *
 * @param options.smtpUrl `smtp://` (STARTTLS when the server offers it) or `smtps://`, with user and password;
 *   query parameters set nodemailer's connection options, for example `?requireTLS=true&maxConnections=10`.
 * @param options.from The sender of every message; its domain also ends every Message-ID.
 * @param options.timeouts For tests that cannot wait; the defaults free a worker within 25 seconds.
 */
export function createMailer(options: { smtpUrl: string; from: Mailbox; timeouts?: MailTimeouts }) {
  const { from, timeouts = DEFAULT_TIMEOUTS } = options;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const transport = createTransport({
    pool: true,
    url: options.smtpUrl,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
    // A kept-alive connection may turn out to be dead. Once more over a new one; retries are the caller's.
    maxRequeues: 1,
  });
  const inFlight = new Set<Promise<Delivery>>();

  async function attempt(message: MailMessage): Promise<Delivery> {
    if (!MESSAGE_ID.test(message.id)) throw new RangeError(`Unusable message id: ${message.id}`);
    const recipients = message.to.filter(isEmailAddress);
    if (recipients.length === 0) {
      return { outcome: 'failed', smtpCode: null, detail: 'No recipient has a valid address.' };
    }
    const replyTo = message.replyTo?.trim() ?? '';
    try {
      const info = await transport.sendMail({
        messageId: `<${message.id}@${domain}>`,
        baseBoundary: message.id,
        date: message.date,
        from: { name: singleLine(from.name), address: from.address },
        to: recipients.map((address) => ({ name: '', address })),
        ...(isEmailAddress(replyTo) && { replyTo: { name: '', address: replyTo } }),
        subject: singleLine(message.subject),
        // Keeps out-of-office robots from answering the visitor.
        headers: { 'Auto-Submitted': 'auto-generated' },
        text: message.text,
        html: message.html,
        // The one encoding that carries any line length and trailing space unchanged, and stays legible.
        encoding: 'quoted-printable',
        newline: 'win',
        xMailer: false,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.timeout(timeouts.attemptMs),
      });
      return sentDelivery(info, message.to.length);
    } catch (error) {
      return failedDelivery(error as NodemailerError);
    }
  }

  return {
    /**
     * Makes one attempt to hand a message over, and never takes longer than the attempt's timeout.
     *
     * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
     */
    async send(message: MailMessage): Promise<Delivery> {
      const delivery = attempt(message);
      inFlight.add(delivery);
      try {
        return await delivery;
      } finally {
        inFlight.delete(delivery);
      }
    },

    /** Waits for the messages in flight, then closes the connections. */
    async close(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
      transport.close();
    },
  };
}

function sentDelivery(info: SMTPPoolSentMessageInfo, addressed: number): Delivery {
  const response = info.response ?? '';
  const refused = addressed - (info.accepted?.length ?? addressed);
  const reasons = (info.rejectedErrors ?? []).map((error) => error.response ?? error.message);
  const detail =
    refused === 0
      ? response
      : [`${refused} of ${addressed} recipients refused.`, ...reasons, response].join(' ');
  return { outcome: 'sent', smtpCode: Number.parseInt(response, 10) || 250, detail: tidy(detail) };
}

function failedDelivery(error: NodemailerError): Delivery {
  return {
    outcome: isVerdictOnMessage(error) ? 'failed' : 'deferred',
    smtpCode: error.responseCode || null,
    detail: tidy(
      error.code === 'EABORT' ? 'The mail server took too long.' : (error.response ?? error.message),
    ),
  };
}

/** Authentication required, too weak, refused, or only over TLS (RFC 4954). */
const CREDENTIAL_CODES = new Set([530, 534, 535, 538]);

/** Enhanced status of a reply to MAIL FROM that refuses our sender's address or our right to use it (RFC 3463). */
const SENDER_REFUSED = /^5\d\d[ -]5\.(?:1\.[78]|7\.\d+)\b/;

/**
 * Whether the server has refused this very message for good. A 5xx about our login, our sender address or our
 * connection is not that: it is the operator's to mend and would hit every message alike, so the messages
 * wait until it is mended instead of all being lost to one wrong password.
 */
function isVerdictOnMessage(error: NodemailerError): boolean {
  const code = error.responseCode ?? 0;
  if (code < 500 || CREDENTIAL_CODES.has(code)) return false;
  if (error.code !== 'EENVELOPE' && error.code !== 'EMESSAGE') return false;
  return !(error.command === 'MAIL FROM' && SENDER_REFUSED.test(error.response ?? ''));
}

function tidy(detail: string): string {
  return singleLine(detail.slice(0, MAX_DETAIL_LENGTH));
}
