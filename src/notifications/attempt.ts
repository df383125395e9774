import { outlastingOutage } from '../db/client.js';
import type { Delivery } from '../mail/delivery.js';
import type { Dispatch } from '../mail/dispatch.js';
import type { MailMessage } from '../mail/message.js';
import { retryPauseS, SLOW_PAUSE_S, unconfirmedPauseS } from './retry.js';

/** How long the lease of a message holds that has a row of its own. It is not renewed. */
export const LEASE_S = 120;

/** An attempt that began later in its lease might outlast it: until the final dot it may take a minute. */
const BEGIN_WITHIN_MS = (LEASE_S * 1000) / 2;

/** What is written to a message's row. */
type Change = Readonly<{
  state?: 'sent' | 'failed';
  sentAt?: Date;
  attempts?: number;
  unconfirmed?: number;
  nextAttemptAt?: Date;
}>;

type Attempt = Readonly<{
  /** Attempts of this message, with this one, and those before that the mail server never confirmed. */
  attempts: number;
  unconfirmed: number;
  /** Until when a temporary failure is worth a retry. */
  giveUpAt: Date;
}>;

type Options = Attempt &
  Readonly<{
    dispatch: Pick<Dispatch, 'send'>;
    /** When the lease was taken, as `performance.now()` tells it. */
    takenAt: number;
    /** Writes to the row while it is pending; may be repeated. */
    update(change: Change): Promise<unknown>;
    onSlow(): void;
  }>;

const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

/** What follows from an attempt: a state, or when to retry. One at a mail server that is away does not count. */
function consequenceOf(delivery: Delivery | null, { attempts, unconfirmed, giveUpAt }: Attempt): Change {
  // One recipient who has it is enough.
  if (delivery && delivery.accepted.length > 0) return { state: 'sent', sentAt: new Date() };
  if (delivery?.outcome === 'failed') return { state: 'failed' };
  if (delivery?.outcome === 'unknown') {
    const pauseS = unconfirmedPauseS(unconfirmed);
    if (pauseS === null) return { state: 'failed' };
    return { unconfirmed: unconfirmed + 1, nextAttemptAt: inSeconds(pauseS) };
  }
  const isOwnFailure = delivery?.outcome === 'deferred' && delivery.about !== 'server';
  if (!isOwnFailure) return { attempts: attempts - 1, nextAttemptAt: new Date() };
  if (Date.now() > giveUpAt.getTime()) return { state: 'failed' };
  return { nextAttemptAt: inSeconds(retryPauseS(attempts - 1)) };
}

/**
 * Makes one attempt at a message that has a row of its own, under its lease, and writes what follows to the row. A
 * message whose confirmation is slow to come is not due again for an hour, whatever becomes of this process.
 *
 * @returns null when no attempt was made
 */
export async function attemptRow(message: MailMessage, options: Options): Promise<Delivery | null> {
  const { dispatch, takenAt, onSlow } = options;
  const update = (change: Change) => outlastingOutage(() => options.update(change));
  let postponed: Promise<unknown> | undefined;
  const delivery = await dispatch.send(message, {
    wait: false,
    mayBegin: () => performance.now() - takenAt < BEGIN_WITHIN_MS,
    onSlow() {
      postponed = update({ nextAttemptAt: inSeconds(SLOW_PAUSE_S) });
      onSlow();
    },
  });
  await postponed;
  await update(consequenceOf(delivery, options));
  return delivery;
}
