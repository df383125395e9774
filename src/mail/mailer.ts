import type { NodemailerError, SMTPPoolSentMessageInfo } from 'nodemailer';
import { isEmailAddress } from '../lib/email-address.js';
import { singleLine } from '../lib/text.js';
import { composeMessage, type Mailbox, type MailMessage, messageIdOf, wireAddress } from './message.js';
import { createPool, SERVICE_CLOSING, type SendError } from './pool.js';

/**
 * How one attempt ended. `sent`: accepted for some and refused for good for the others. `deferred`: try the same
 * message again later, for those who are neither accepted nor refused. `failed`: no later attempt can help.
 * What a deferral is about: the whole `server` (it is away, or says something that it would say to every
 * message), the `domain` addressed (the conversation broke off or fell silent once it was under way), or the
 * `message` itself (a temporary answer to it, or no connection was free for it in time).
 * `detail` is the server's answer or the network error, 500 printable characters at most; it may quote
 * an address, so it belongs in the database and not in a log.
 */
export type Delivery = Readonly<
  (
    | { outcome: 'sent'; smtpCode: number }
    | {
        outcome: 'deferred';
        about: 'server' | 'domain' | 'message';
        smtpCode: number | null;
        /** The server is there, without the TLS that it has to have. */
        fault?: 'tls';
      }
    | { outcome: 'failed'; smtpCode: number | null }
  ) & {
    detail: string;
    /** Addresses for which the server has taken the message over. */
    accepted: readonly string[];
    /** Addresses that no later attempt can reach. */
    refused: readonly string[];
  }
>;

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

const DEFAULT_CONNECTIONS = 10;

const MAX_DETAIL_LENGTH = 500;

/**
 * Opens a pool of kept-alive connections to one mail server. Nothing is connected before the first message.
 *
 * @param options.smtpUrl `smtp://` (STARTTLS when the server offers it; always, when the URL has a login) or
 *   `smtps://`; query parameters set nodemailer's connection options, for example `?requireTLS=false`.
 * @param options.from The sender of every message; its domain also ends every Message-ID.
 * @param options.connections How many at most.
 * @param options.timeouts For tests that cannot wait; the defaults free a worker within 25 seconds.
 */
export function createMailer(options: {
  smtpUrl: string;
  from: Mailbox;
  connections?: number;
  timeouts?: MailTimeouts;
}) {
  const { from, connections = DEFAULT_CONNECTIONS, timeouts = DEFAULT_TIMEOUTS } = options;
  const pool = createPool({
    maxConnections: connections,
    url: options.smtpUrl,
    requireTLS: hasLogin(options.smtpUrl),
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
  });
  /** The attempts under way, each with what cuts it short. */
  const inFlight = new Map<Promise<Delivery>, AbortController>();
  let isAborted = false;

  async function attempt(
    message: MailMessage,
    addressed: readonly string[],
    signal: AbortSignal,
  ): Promise<Delivery> {
    const text = composeMessage(message, from);
    const recipients = addressed.filter(isEmailAddress);
    if (recipients.length === 0) {
      const detail = 'No recipient has a valid address.';
      return { outcome: 'failed', smtpCode: null, detail, accepted: [], refused: addressed };
    }
    try {
      const envelope = { from: from.address, to: recipients.map(wireAddress) };
      const info = await pool.send({ messageId: messageIdOf(message, from), envelope, text }, signal);
      return acceptedDelivery(info, addressed);
    } catch (error) {
      return refusedDelivery(error as SendError, addressed);
    }
  }

  return {
    /**
     * Makes one attempt to hand a message over, and never takes longer than the attempt's timeout.
     *
     * @param recipients those of `message.to` who are to get it now; the message itself is the same for all
     * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
     */
    async send(message: MailMessage, recipients: readonly string[] = message.to): Promise<Delivery> {
      // A timer that is cleared: the signals of `AbortSignal.timeout` would stay until their time is up.
      const abortion = new AbortController();
      const timer = setTimeout(() => abortion.abort(), timeouts.attemptMs);
      if (isAborted) abortion.abort();
      const delivery = attempt(message, recipients, abortion.signal);
      inFlight.set(delivery, abortion);
      try {
        return await delivery;
      } finally {
        clearTimeout(timer);
        inFlight.delete(delivery);
      }
    },

    /** Cuts the attempts under way short; each ends as deferred, and no later one begins. */
    abort(): void {
      isAborted = true;
      for (const abortion of inFlight.values()) abortion.abort();
    },

    /** Waits for the messages in flight, then closes the connections. */
    async close(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight.keys());
      pool.close();
    },
  };
}

/** Whether a URL brings a login, which a server without TLS would have anybody on the way read. */
function hasLogin(smtpUrl: string): boolean {
  const { username, password } = new URL(smtpUrl);
  return username !== '' || password !== '';
}

/** Whom of those addressed the server has turned away, for good or for now; it may write addresses differently. */
function turnedAway(addressed: readonly string[], errors: readonly NodemailerError[]) {
  const written = (select: (error: NodemailerError) => boolean) =>
    new Set(errors.filter(select).map(({ recipient = '' }) => recipient.toLowerCase()));
  const forGood = written(isVerdictOnMessage);
  const forNow = written((error) => !isVerdictOnMessage(error));
  return {
    refused: addressed.filter((each) => !isEmailAddress(each) || forGood.has(each.toLowerCase())),
    deferred: addressed.filter((each) => forNow.has(each.toLowerCase())),
  };
}

function acceptedDelivery(info: SMTPPoolSentMessageInfo, addressed: readonly string[]): Delivery {
  const response = info.response ?? '';
  const errors = info.rejectedErrors ?? [];
  const { refused, deferred } = turnedAway(addressed, errors);
  const accepted = addressed.filter((each) => !refused.includes(each) && !deferred.includes(each));
  const counts = [
    ...(refused.length > 0 ? [`${refused.length} of ${addressed.length} recipients refused.`] : []),
    ...(deferred.length > 0 ? [`${deferred.length} of ${addressed.length} recipients deferred.`] : []),
  ];
  const reasons = errors.map((error) => error.response ?? error.message);
  const detail = tidy([...counts, ...reasons, response].join(' '));
  if (deferred.length === 0) {
    return { outcome: 'sent', smtpCode: Number.parseInt(response, 10) || 250, detail, accepted, refused };
  }
  const smtpCode = errors.find((error) => !isVerdictOnMessage(error))?.responseCode || null;
  return { outcome: 'deferred', about: 'message', smtpCode, detail, accepted, refused };
}

function refusedDelivery(error: SendError, addressed: readonly string[]): Delivery {
  const smtpCode = error.responseCode || null;
  const detail = tidy(detailOf(error));
  if (isVerdictOnMessage(error)) {
    return { outcome: 'failed', smtpCode, detail, accepted: [], refused: addressed };
  }
  const { refused } = turnedAway(addressed, error.rejectedErrors ?? []);
  const fault = isTlsFault(error) ? ({ fault: 'tls' } as const) : {};
  return { outcome: 'deferred', about: subjectOf(error), smtpCode, ...fault, detail, accepted: [], refused };
}

/** Whether the server refuses STARTTLS, or TLS was begun and failed; for the latter Node has words and no code. */
const isTlsFault = ({ code, message, stage }: SendError): boolean =>
  code === 'ETLS' || (code === 'ESOCKET' && stage === 'connecting' && /certificate|SSL/.test(message));

function detailOf(error: SendError): string {
  if (error.code === 'EABORT') return 'The mail server took too long.';
  if (isTlsFault(error)) return `No TLS with the mail server: ${error.message}`;
  return error.response ?? error.message;
}

/**
 * What a temporary failure is about. A reply to MAIL FROM, which is the same for every message, counts as one
 * about the server.
 */
function subjectOf({ stage, command, responseCode: code = 0 }: SendError): 'server' | 'domain' | 'message' {
  if (stage === 'waiting') return 'message';
  if (stage === 'connecting' || code === SERVICE_CLOSING || CREDENTIAL_CODES.has(code)) return 'server';
  if (!code) return 'domain';
  return command === 'RCPT TO' || command === 'DATA' ? 'message' : 'server';
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
