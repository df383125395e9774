import type { PanelContext } from '../../graphql/context.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';

/**
 * Counts an attempt at an account's code. The limit is the account's alone: only who knows the password can exhaust it.
 *
 * @throws 429 after ten in a quarter of an hour for the account, or a hundred from the address.
 */
export async function limitCodes(
  limiter: Pick<Limiter, 'consume'>,
  client: PanelContext['client'],
  userId: number,
): Promise<void> {
  requirePassing(
    await limiter.consume(
      { limit: 'login-address', key: client.ipKey },
      { limit: 'second-factor', key: String(userId) },
    ),
  );
}
