import { isDeadlock } from './database-errors.js';

const MAX_ATTEMPTS = 3;

/**
 * Runs a transaction, and runs it from its beginning again when another one has come in between, at most three times in
 * all. It must do nothing outside the database.
 *
 * @param isRetried Tells of an error whether to run it again; by default only when PostgreSQL has ended it for a
 * deadlock.
 * @throws what the last attempt throws.
 */
export async function retryTransaction<T>(
  transaction: () => Promise<T>,
  isRetried: (error: unknown) => boolean = isDeadlock,
): Promise<T> {
  for (let left = MAX_ATTEMPTS - 1; ; left -= 1) {
    try {
      return await transaction();
    } catch (error) {
      if (left === 0 || !isRetried(error)) throw error;
    }
  }
}
