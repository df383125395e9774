import type { Delivery } from '../mail/mailer.js';
import { retryPauseS } from './retry.js';

/** An attempt at a message that has a row of its own, and until when it is worth another. */
type Attempt = Readonly<{ attempts: number; giveUpAt: Date }>;

/**
 * What follows for the row of a message from one attempt at it: a state, or when to try again. A mail server that
 * is away is waited for however long it takes, and does not count.
 *
 * @param delivery null: no attempt was made
 */
export function consequenceOf(delivery: Delivery | null, { attempts, giveUpAt }: Attempt) {
  // One recipient who has it is enough.
  if (delivery && delivery.accepted.length > 0) return { state: 'sent', sentAt: new Date() } as const;
  if (delivery?.outcome === 'failed') return { state: 'failed' } as const;
  const isOwnFailure = delivery?.outcome === 'deferred' && delivery.about !== 'server';
  if (!isOwnFailure) return { attempts: attempts - 1, nextAttemptAt: new Date() };
  if (Date.now() > giveUpAt.getTime()) return { state: 'failed' } as const;
  return { nextAttemptAt: new Date(Date.now() + retryPauseS(attempts - 1) * 1000) };
}
