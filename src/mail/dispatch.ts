import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../lib/logger.js';
import { mailServerHeld } from '../lib/metrics.js';
import { createHolds } from './holds.js';
import type { Delivery, Mailer } from './mailer.js';
import type { MailMessage } from './message.js';

const SERVER = 'server';
const SERVER_PAUSES = { firstMs: 1_000, longestMs: 30_000, tryMs: 30_000 };
const DOMAIN_PAUSES = { firstMs: 5_000, longestMs: 300_000, tryMs: 30_000 };
const LOOK_EVERY_MS = 100;

export type Dispatch = ReturnType<typeof createDispatch>;

type SendOptions = Readonly<{ recipients?: readonly string[]; wait?: boolean; mayBegin?: () => boolean }>;

const domainsOf = (recipients: readonly string[]): string[] => [
  ...new Set(recipients.map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase())),
];

/**
 * Keeps one fault from taking everyone's place: while the mail server is away everybody waits and one
 * message at a time looks whether it is back; a recipient domain at which the conversation hangs or breaks
 * off is left alone for a while, so that it cannot occupy every connection.
 */
export function createDispatch({ mailer, log }: { mailer: Pick<Mailer, 'send' | 'abort'>; log: Logger }) {
  const server = createHolds(SERVER_PAUSES);
  const domains = createHolds(DOMAIN_PAUSES);
  let isStopping = false;
  let isAborted = false;

  async function admitted(mayBegin: () => boolean): Promise<boolean> {
    // Asked before: who is admitted is the one who tries a server that was away, and nobody else does meanwhile.
    while (!isStopping && mayBegin()) {
      const waitMs = server.waitMs([SERVER]);
      if (waitMs === 0) return true;
      await pause(Math.min(waitMs, LOOK_EVERY_MS));
    }
    return false;
  }

  /** A server that is away ends conversations, so one that broke off meanwhile tells nothing about its domain. */
  function ofServerIfAway(delivery: Delivery): Delivery {
    const isMisled = delivery.outcome === 'deferred' && delivery.about === 'domain' && server.isHeld(SERVER);
    return isMisled ? { ...delivery, about: 'server' } : delivery;
  }

  function takeNote(delivery: Delivery, recipients: readonly string[], startedAt: number): void {
    const deferral = delivery.outcome === 'deferred' ? delivery : null;
    if (deferral?.about === 'server') {
      const { smtpCode, fault } = deferral;
      const what = fault === 'tls' ? 'Mail server fails at TLS' : 'Mail server is away';
      if (!server.isHeld(SERVER)) log.warn({ smtpCode, fault }, what);
      server.failed(SERVER, startedAt);
      mailServerHeld.set(1);
      return;
    }
    // An answer about one message shows that the server works, as does a conversation that broke off later.
    if (server.succeeded(SERVER)) log.info('Mail server is back');
    mailServerHeld.set(0);
    for (const domain of domainsOf(recipients)) {
      if (deferral?.about === 'domain') domains.failed(domain, startedAt);
      else domains.succeeded(domain);
    }
  }

  return {
    /** How long, in ms, a message to these recipients should wait for their sake; 0: send it now. */
    heldForMs: (recipients: readonly string[]): number => domains.waitMs(domainsOf(recipients)),

    /**
     * Waits until the mail server is there as far as is known, then makes one attempt, as `Mailer.send`
     * does, and learns from how it ended.
     *
     * @param options.recipients those of `message.to` who are to get it now
     * @param options.wait false: make no attempt rather than wait.
     * @param options.mayBegin false, at whatever time of the wait: make no attempt.
     * @returns null when no attempt was made, or the process stops in the middle of it.
     */
    async send(
      message: MailMessage,
      { recipients = message.to, wait = true, mayBegin = () => true }: SendOptions = {},
    ): Promise<Delivery | null> {
      if (!wait && server.waitMs([SERVER]) > 0) return null;
      if (wait && !(await admitted(mayBegin))) return null;
      const startedAt = performance.now();
      const delivery = ofServerIfAway(await mailer.send(message, recipients));
      if (isAborted && delivery.outcome === 'deferred' && delivery.accepted.length === 0) return null;
      takeNote(delivery, recipients, startedAt);
      return delivery;
    },

    /** Begins no further attempt, and lets nobody wait for one. */
    stop(): void {
      isStopping = true;
    },

    isStopping: (): boolean => isStopping,

    /** Cuts the attempts under way short. */
    abort(): void {
      isStopping = true;
      isAborted = true;
      mailer.abort();
    },
  };
}
