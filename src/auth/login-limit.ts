import type { PanelContext } from '../graphql/context.js';
import { type Limiter, requirePassing } from '../http/limits/rate-limit.js';

/**
 * Computes the key of a limit per account and IP; the account need not exist. The key contains the IP, or strangers
 * could exhaust the owner's limit.
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
      // The address's limit is first, or one address could fill the memory with counters of made-up accounts.
      { limit: 'login-address', key: client.ipKey },
      { limit: 'login', key: attemptKey(client, email) },
    ),
  );
}
