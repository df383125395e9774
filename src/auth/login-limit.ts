import type { PanelContext } from '../graphql/context.js';
import { type Limiter, requirePassing } from '../http/rate-limit.js';

/**
 * What a limit per account and IP counts by; the account need not exist. The IP is part of it, or strangers could use
 * up what the owner has left.
 */
export const attemptKey = ({ ipKey }: PanelContext['client'], email: string): string =>
  `${email.trim().toLowerCase().slice(0, 254)} ${ipKey}`;

/**
 * Counts an attempt at an account's password.
 *
 * @throws 429 after ten in a quarter of an hour for the account from the address, or a hundred from the address.
 */
export async function limitAttempts(
  limiter: Pick<Limiter, 'consume'>,
  client: PanelContext['client'],
  email: string,
): Promise<void> {
  requirePassing(
    await limiter.consume(
      // First, or one address could fill the memory with counters of accounts that it makes up.
      { limit: 'login-address', key: client.ipKey },
      { limit: 'login', key: attemptKey(client, email) },
    ),
  );
}
