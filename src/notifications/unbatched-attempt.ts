import { isDatabaseAway } from '../db/database-errors.js';
import { outlastingOutage } from '../db/outage-retry.js';
import { causeOf } from '../lib/telemetry/cause.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { type Delivery, isOwnFailure } from '../mail/delivery.js';
import type { Dispatch } from '../mail/dispatch.js';
import type { MailMessage } from '../mail/message.js';
import { MAX_RETRIES, retryPauseS, SLOW_PAUSE_S, unconfirmedPauseS } from './retry.js';
import { UNBATCHED_LEASE_S, type UnbatchedClaim } from './unbatched-claims.queries.js';

/** Maximum age of a lease at which an attempt may begin: up to the final dot, an attempt may take a minute. */
const BEGIN_WITHIN_MS = (UNBATCHED_LEASE_S * 1000) / 2;

/** The change that an attempt makes to a message's row. */
type Change = Readonly<{
  state?: 'sent' | 'failed' | 'no_recipient';
  sentAt?: Date;
  attempts?: number;
  unconfirmed?: number;
  nextAttemptAt?: Date;
}>;

type Attempt = UnbatchedClaim &
  Readonly<{
    /** The moment after which the message is of no use; until then it is retried, however many its failures are. */
    expiresAt?: Date | undefined;
  }>;

type Options = Attempt &
  Readonly<{
    dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>;
    /** When the lease was taken or renewed, by `performance.now()`. */
    takenAt: number;
    /** Updates the row while it is pending; idempotent. */
    update(change: Change): Promise<unknown>;
    onSlow(): void;
  }>;

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/**
 * Decides the consequence of an attempt: a state, or a retry. A mail server that is away does not count.
 *
 * @param backOffMs For how long a recipient domain's circuit breaker admits none.
 */
function consequenceOf(
  delivery: Delivery | null,
  { attempts, unconfirmed, expiresAt }: Attempt,
  backOffMs: number,
): Change {
  // One recipient who has the message is enough.
  if (delivery && delivery.accepted.length > 0) return { state: 'sent', sentAt: new Date() };
  if (delivery?.outcome === 'failed') return { state: 'failed' };
  if (delivery?.outcome === 'unknown') {
    const pauseS = unconfirmedPauseS(unconfirmed);
    if (pauseS === null) return { state: 'failed' };
    return { unconfirmed: unconfirmed + 1, nextAttemptAt: inSeconds(pauseS) };
  }
  if (!isOwnFailure(delivery)) return { attempts: attempts - 1, nextAttemptAt: inSeconds(backOffMs / 1000) };
  const hasEnded = expiresAt ? Date.now() > expiresAt.getTime() : attempts > MAX_RETRIES;
  if (hasEnded) return { state: 'failed' };
  return { nextAttemptAt: inSeconds(retryPauseS(attempts - 1)) };
}

/**
 * Makes one attempt at an e-mail that is not about one submission (to an account or staff, a notice, report or digest)
 * under its lease, and writes the consequence to its row.
 *
 * They are few, so they need neither the batches nor the fencing of submission e-mails (`claims.ts`). A message whose
 * confirmation is slow is due again only after an hour, even if this process dies.
 *
 * @returns null when no attempt was made, as while the circuit breaker of a recipient's domain is open
 */
export async function attemptUnbatched(message: MailMessage, options: Options): Promise<Delivery | null> {
  const { dispatch, takenAt, onSlow } = options;
  const update = (change: Change) => outlastingOutage(() => options.update(change));
  let postponed: Promise<unknown> | undefined;
  let backOffMs = 0;
  const delivery = await dispatch.send(message, {
    wait: false,
    mayBegin() {
      if (performance.now() - takenAt >= BEGIN_WITHIN_MS) return false;
      backOffMs = dispatch.tryAcquireDomains({ teamId: null, recipients: message.to });
      return backOffMs === 0;
    },
    onSlow() {
      // A failure must not reject unhandled; the update below most likely fails too, and tells why.
      postponed = update({ nextAttemptAt: inSeconds(SLOW_PAUSE_S) }).catch(() => undefined);
      onSlow();
    },
  });
  await postponed;
  await update(consequenceOf(delivery, options, backOffMs));
  return delivery;
}

/** What an attempt sends. */
type Prepared = Readonly<{
  message: MailMessage;
  /** The moment after which the message is of no use. */
  expiresAt?: Date;
  /** What the log line about the attempt has beside the ids. */
  details?: Readonly<Record<string, unknown>>;
}>;

type Sending<Claim> = Pick<Options, 'dispatch' | 'onSlow'> &
  Readonly<{
    /** Updates the row while it is pending and, if `held` is given, while it has these attempts; idempotent. */
    update(change: Change, held?: Pick<UnbatchedClaim, 'attempts'>): Promise<{ count: number }>;
    /** What the e-mail is, as in "Quota notice". */
    name: string;
    /** The ids by which its lines in the log are found. */
    ids: Readonly<Record<string, unknown>>;
    log: Logger;
    /** Claims the row; null when it is not due. */
    take(): Promise<Claim | null>;
    /** Builds the message; null when what it is about is gone, `no_recipient` when no account is left to get it. */
    prepare(claim: Claim): Promise<Prepared | 'no_recipient' | null>;
  }>;

/** Claims an e-mail that is not about one submission, makes one attempt at it if it is due, and records the outcome. */
export async function sendUnbatched<Claim extends UnbatchedClaim>(sending: Sending<Claim>): Promise<void> {
  const { name, ids, log, take, prepare, update, dispatch, onSlow } = sending;
  const claim = await take();
  if (!claim) return;
  const prepared = await prepare(claim).catch(async (error) => {
    if (isDatabaseAway(error)) throw error;
    // One that cannot be built holds up no other, and is not built anew whenever its lease expires.
    log.error({ ...ids, ...causeOf(error), err: error }, `${name} cannot be built`);
    await update({ nextAttemptAt: inSeconds(retryPauseS(claim.attempts - 1)) });
    return null;
  });
  if (!prepared) return;
  if (prepared === 'no_recipient') {
    await update({ state: 'no_recipient' });
    return;
  }
  const { message, expiresAt, details } = prepared;
  const { attempts, unconfirmed } = claim;
  const takenAt = performance.now();
  // A report may read its figures for longer than an attempt may wait to begin.
  const renewed = await update({ nextAttemptAt: inSeconds(UNBATCHED_LEASE_S) }, { attempts });
  if (renewed.count === 0) return;
  const delivery = await attemptUnbatched(message, {
    attempts,
    unconfirmed,
    dispatch,
    takenAt,
    expiresAt,
    update,
    onSlow,
  });
  log.info(
    { ...ids, ...details, outcome: delivery?.outcome, smtpCode: delivery?.smtpCode },
    `${name} attempted`,
  );
}
