import type { PanelContext } from '../graphql/context.js';
import { type Limiter, requirePassing } from '../http/rate-limit.js';

/** How an account is named in a limit, whether it exists or not. */
export const accountKey = (email: string): string => email.trim().toLowerCase().slice(0, 254);

/**
 * Counts an attempt at an account's password.
 *
 * @throws 429 after ten in a quarter of an hour for the account from the address, or a hundred from the address.
 */
export async function limitAttempts(
  limiter: Pick<Limiter, 'consume'>,
  { ipKey }: PanelContext['client'],
  email: string,
): Promise<void> {
  requirePassing(
    await limiter.consume(
      { limit: 'login', key: `${accountKey(email)} ${ipKey}` },
      { limit: 'login-address', key: ipKey },
    ),
  );
}
