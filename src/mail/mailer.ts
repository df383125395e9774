import { isEmailAddress } from '../lib/text/email-address.js';
import { confirmedDelivery, type Delivery, unconfirmedDelivery, undeliverable } from './delivery.js';
import { type Mailbox, type MailMessage, mailOptions } from './message.js';
import { createPool, type Phase, type SendError } from './pool.js';

/**
 * Timeouts of each phase of a conversation, in milliseconds. RFC 5321 (4.5.3.2) advises minutes for each. Before the
 * final dot less will do, because a retry loses nothing; after it a retry makes a duplicate.
 */
export interface MailTimeouts {
  /** Name lookup, connection, TLS and greeting together. */
  connectMs: number;
  /** The login; the answers to MAIL, RCPT and DATA together; each piece of the text. */
  answerMs: number;
  /** When an answer to the final dot counts as slow, so that it no longer holds up other messages. */
  slowMs: number;
  /** The answer to the final dot. */
  confirmMs: number;
}

export type Mailer = ReturnType<typeof createMailer>;

const DEFAULT_TIMEOUTS: MailTimeouts = {
  connectMs: 10_000,
  answerMs: 15_000,
  slowMs: 5_000,
  confirmMs: 600_000,
};

const DEFAULT_CONNECTIONS = 10;

/** Bounds each phase of an attempt by a timer, which breaks the attempt off when the phase takes too long. */
function timePhases(timeouts: MailTimeouts, { breakOff, onSlow }: { breakOff(): void; onSlow(): void }) {
  const { connectMs, answerMs, slowMs, confirmMs } = timeouts;
  let timer: NodeJS.Timeout | undefined;
  const restart = (expire: () => void, afterMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, afterMs);
  };
  const begin: Record<Phase, () => void> = {
    connecting: () => restart(breakOff, connectMs + answerMs),
    envelope: () => restart(breakOff, answerMs),
    text: () => restart(breakOff, answerMs),
    confirmation: () =>
      restart(() => {
        restart(breakOff, confirmMs - slowMs);
        onSlow();
      }, slowMs),
  };
  return { onPhase: (phase: Phase) => begin[phase](), stop: () => clearTimeout(timer) };
}

/**
 * Opens a pool of kept-alive connections to one mail server. Nothing is connected before the first message.
 *
 * @param options.smtpUrl `smtp://` (STARTTLS when the server offers it; always, when the URL has a login) or
 *   `smtps://`; query parameters set nodemailer's connection options, for example `?requireTLS=false`.
 * @param options.from The sender of every message; its domain also ends every Message-ID.
 * @param options.connections Maximum connections.
 * @param options.timeouts For tests that cannot wait.
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
  });
  /** The attempts in flight, each with what breaks it off. */
  const inFlight = new Map<Promise<Delivery>, AbortController>();
  let isAborted = false;

  async function attempt(
    message: MailMessage,
    addressed: readonly string[],
    abortController: AbortController,
    onSlow: () => void,
  ): Promise<Delivery> {
    const recipients = addressed.filter(isEmailAddress);
    const mail = mailOptions(message, from, recipients);
    if (recipients.length === 0) return undeliverable(addressed);
    const timing = timePhases(timeouts, { breakOff: () => abortController.abort(), onSlow });
    try {
      const info = await pool.send({ ...mail, signal: abortController.signal }, timing.onPhase);
      return confirmedDelivery(info, addressed);
    } catch (error) {
      return unconfirmedDelivery(error as SendError, addressed);
    } finally {
      timing.stop();
    }
  }

  return {
    /** Maximum attempts at once that each get a connection without waiting. */
    maxConnections: pool.maxConnections,

    /**
     * Makes one attempt to hand a message over, which each phase's timeout bounds.
     *
     * @param recipients The addresses of `message.to` that are to get the message now; it is the same for all.
     * @param onSlow Called when the final confirmation is slow.
     * @throws RangeError when the message's id is no plain token of at most 56 letters, digits, dots and hyphens.
     */
    async send(
      message: MailMessage,
      recipients: readonly string[] = message.to,
      onSlow: () => void = () => undefined,
    ): Promise<Delivery> {
      const abortController = new AbortController();
      if (isAborted) abortController.abort();
      const delivery = attempt(message, recipients, abortController, onSlow);
      inFlight.set(delivery, abortController);
      try {
        return await delivery;
      } finally {
        inFlight.delete(delivery);
      }
    },

    /** Breaks off the attempts in flight; each ends as deferred or unknown, and no later one begins. */
    abort(): void {
      isAborted = true;
      for (const abortController of inFlight.values()) abortController.abort();
    },

    /** Waits for the messages in flight, then closes the connections. */
    async close(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight.keys());
      pool.close();
    },
  };
}

/** Tells whether a URL has a login, which an eavesdropper could read on a connection without TLS. */
export function hasLogin(smtpUrl: string): boolean {
  const { username, password } = new URL(smtpUrl);
  return username !== '' || password !== '';
}
