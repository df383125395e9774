import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';

/**
 * Counts an attempt at an account's code. The limit is the account's alone: it takes the password to exhaust it.
 *
 * @throws 429 after ten in a quarter of an hour.
 */
export async function limitCodes(limiter: Pick<Limiter, 'consume'>, userId: number): Promise<void> {
  requirePassing(await limiter.consume({ limit: 'second-factor', key: String(userId) }));
}
