import type { Viewer } from '../../auth/viewer.js';
import { type Limiter, requirePassing } from '../../http/limits/rate-limit.js';

/** What the description of a mutation that is limited so says. */
export const CHANGE_LIMIT =
  'An account changes 50,000 submissions in five minutes at most: states set and e-mails sent again count together, each time.';

/**
 * Counts the submissions that an account is about to change, also those that it has changed before.
 *
 * @throws 429, having counted none of them.
 */
export async function limitChanges(
  limiter: Pick<Limiter, 'consume'>,
  { userId }: Pick<Viewer, 'userId'>,
  ids: readonly string[],
): Promise<void> {
  const hit = { limit: 'changed-submissions', key: String(userId), weight: ids.length } as const;
  requirePassing(await limiter.consume(hit));
}
