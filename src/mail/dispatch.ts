import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../lib/semaphore.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { mailServerHeld } from '../lib/telemetry/metrics.js';
import { inSpan } from '../lib/telemetry/tracing.js';
import { domainsOf } from '../lib/text/email-address.js';
import { createCircuitBreaker } from './circuit-breaker.js';
import type { Delivery } from './delivery.js';
import type { Mailer } from './mailer.js';
import type { MailMessage } from './message.js';

const SERVER = 'server';
const SERVER_PAUSES = { initialMs: 1_000, maxMs: 30_000, halfOpenTimeoutMs: 30_000 };
const DOMAIN_PAUSES = { initialMs: 5_000, maxMs: 300_000, halfOpenTimeoutMs: 30_000 };
const POLL_EVERY_MS = 100;

/**
 * Maximum connections for each one that begins conversations. The others are held by messages whose final
 * confirmation is slow, which may take ten minutes.
 */
export const CONNECTIONS_EACH = 5;

export type Dispatch = ReturnType<typeof createDispatch>;

type SendOptions = Readonly<{
  teamId?: number | null;
  recipients?: readonly string[];
  wait?: boolean;
  mayBegin?: () => boolean;
  onBegin?: () => void;
  onSlow?: () => void;
}>;

/** Whose message to whom. */
type Addressed = Readonly<{ teamId: number | null; recipients: readonly string[] }>;

/**
 * Names the circuits of a message: its domains, and each of them as it is for the team.
 *
 * A conversation that breaks off does not say which of several domains it broke off at. So several are blamed for the
 * team alone: else an address that hangs would hold back the mail of others to every domain that it stands beside.
 */
function circuitsOf({ teamId, recipients }: Addressed) {
  const domains = domainsOf(recipients);
  const ofTeam = domains.map((domain) => `${teamId} ${domain}`);
  return { all: [...domains, ...ofTeam], blamed: domains.length > 1 ? ofTeam : domains };
}

/** What a span tells of an attempt: no address, and none of the server's words, which may quote one. */
const spanAttributes = (delivery: Delivery) => ({
  'formgate.mail.outcome': delivery.outcome,
  'formgate.mail.smtp_code': delivery.smtpCode ?? undefined,
  ...(delivery.outcome !== 'sent' && { 'error.type': delivery.outcome }),
});

/**
 * Sends messages under a concurrency limit and two circuit breakers, so that one fault does not hold up every message.
 * While the mail server is away its circuit is open: all messages wait, and one at a time attempts it. The circuit of
 * a recipient domain opens when its conversations hang, break off or are slow to end, so that it cannot occupy every
 * connection.
 *
 * @param connections Messages in conversation at once, beyond those that only wait for a slow confirmation.
 */
export function createDispatch({
  mailer,
  connections,
  log,
}: {
  mailer: Pick<Mailer, 'send' | 'abort' | 'maxConnections'>;
  connections: number;
  log: Logger;
}) {
  const warn = limitLog(log);
  const server = createCircuitBreaker(SERVER_PAUSES);
  const domains = createCircuitBreaker(DOMAIN_PAUSES);
  const withPermit = createSemaphore(Math.min(connections, mailer.maxConnections));
  const maxSlow = mailer.maxConnections - connections;
  /** Slow messages that have released their permit. */
  let slow = 0;
  /** When the mail server last took or failed an attempt, by `performance.now()`. */
  let triedAt = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  let isAborted = false;

  async function waitForServer(mayBegin: () => boolean): Promise<boolean> {
    // `mayBegin` runs before the circuit, which admits one caller while half-open and waits for that attempt's end.
    while (!isStopping && mayBegin()) {
      const waitMs = server.tryAcquire([SERVER]);
      if (waitMs === 0) return true;
      await pause(Math.min(waitMs, POLL_EVERY_MS));
    }
    return false;
  }

  /** Attributes a broken conversation to the server while that is away: then it says nothing about the domain. */
  function attributeToServerIfAway(delivery: Delivery): Delivery {
    const isMisled = delivery.outcome === 'deferred' && delivery.about === 'domain' && server.isOpen(SERVER);
    return isMisled ? { ...delivery, about: 'server' } : delivery;
  }

  function recordServerSuccess(): void {
    if (server.recordSuccess(SERVER)) log.info('Mail server is back');
    mailServerHeld.set(0);
  }

  function recordServerFailure(error: unknown, startedAt: number): void {
    warn(error, 'Mail server is away');
    server.recordFailure(SERVER, startedAt);
    mailServerHeld.set(1);
  }

  function recordBreak(addressed: Addressed, startedAt: number): void {
    const { all, blamed } = circuitsOf(addressed);
    // A half-open circuit has admitted this message, and waits for its outcome.
    const failed = new Set([...blamed, ...all.filter(domains.isOpen)]);
    for (const circuit of failed) domains.recordFailure(circuit, startedAt);
  }

  function recordOutcome(delivery: Delivery, addressed: Addressed, startedAt: number): void {
    triedAt = performance.now();
    const deferral = delivery.outcome === 'deferred' ? delivery : null;
    if (deferral?.about === 'server') {
      recordServerFailure(deferral.error, startedAt);
      return;
    }
    // An answer about one message shows that the server works, as does a conversation that broke off later.
    recordServerSuccess();
    const isBroken = deferral?.about === 'domain' || delivery.outcome === 'unknown';
    if (isBroken) recordBreak(addressed, startedAt);
    else for (const circuit of circuitsOf(addressed).all) domains.recordSuccess(circuit);
  }

  /** Makes one attempt under a permit, which it releases when it only waits for a slow confirmation. */
  async function attempt(
    message: MailMessage,
    addressed: Addressed,
    { release, onSlow }: { release(): void; onSlow(): void },
  ): Promise<Delivery | null> {
    const startedAt = performance.now();
    let isReleased = false;
    const sent = mailer.send(message, addressed.recipients, () => {
      triedAt = performance.now();
      recordServerSuccess();
      recordBreak(addressed, startedAt);
      isReleased = slow < maxSlow;
      if (isReleased) {
        slow += 1;
        release();
      }
      onSlow();
    });
    const delivery = attributeToServerIfAway(
      await sent.finally(() => {
        if (isReleased) slow -= 1;
      }),
    );
    if (isAborted && delivery.outcome === 'deferred' && delivery.accepted.length === 0) return null;
    recordOutcome(delivery, addressed, startedAt);
    return delivery;
  }

  return {
    /**
     * Admits a message of the team if the circuits of its recipients' domains let one through, as the caller then
     * sends it.
     *
     * @returns 0 when the message is admitted, else the ms until one may be.
     */
    tryAcquireDomains: (addressed: Addressed): number => domains.tryAcquire(circuitsOf(addressed).all),

    /**
     * Waits for a permit and for the server's circuit to admit it, then makes one attempt as `Mailer.send` does, and
     * records its outcome with the circuit breakers.
     *
     * @param options.teamId The team whose lead it is about; null: it is about none.
     * @param options.recipients The addresses of `message.to` that are to get the message now.
     * @param options.wait False: make no attempt rather than wait for a server that is away.
     * @param options.mayBegin False, at any time of the wait: make no attempt.
     * @param options.onBegin Called when the attempt begins.
     * @param options.onSlow Called when the final confirmation is slow, after which it may take minutes.
     * @returns null when no attempt was made, or the process stops in the middle of it.
     */
    async send(
      message: MailMessage,
      {
        teamId = null,
        recipients = message.to,
        wait = true,
        mayBegin = () => true,
        onBegin = () => undefined,
        onSlow = () => undefined,
      }: SendOptions = {},
    ): Promise<Delivery | null> {
      return withPermit(async (release) => {
        // `mayBegin` may take the trial of a domain, which no attempt would end if the server's circuit refused it
        // then.
        const isAdmitted = wait
          ? await waitForServer(mayBegin)
          : !isStopping && server.admits(SERVER) && mayBegin() && server.tryAcquire([SERVER]) === 0;
        if (!isAdmitted) return null;
        onBegin();
        return inSpan('send e-mail', { kind: 'CLIENT' }, async (annotate) => {
          const delivery = await attempt(message, { teamId, recipients }, { release, onSlow });
          if (delivery) annotate(spanAttributes(delivery));
          return delivery;
        });
      });
    },

    /** Begins no further attempt, and ends the wait for one. */
    stop(): void {
      isStopping = true;
    },

    isStopping: (): boolean => isStopping,

    /** Tells whether the mail server failed the last attempt or check, so that all messages wait. */
    isServerAway: (): boolean => server.isOpen(SERVER),

    /** Returns when the mail server last took or failed an attempt, by `performance.now()`; -Infinity: never yet. */
    serverTriedAt: (): number => triedAt,

    /**
     * Opens or closes the server's circuit by a check without a message, unless an attempt has ended meanwhile.
     *
     * @param error What the check failed by; null: the server takes connection and login.
     */
    recordServerCheck(error: unknown, startedAt: number): void {
      if (triedAt > startedAt) return;
      if (error === null) recordServerSuccess();
      else recordServerFailure(error, startedAt);
    },

    /** Breaks off the attempts in flight. */
    abort(): void {
      isStopping = true;
      isAborted = true;
      mailer.abort();
    },
  };
}
