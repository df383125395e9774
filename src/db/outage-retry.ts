import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseAway } from './database-errors.js';

const OUTAGE_PATIENCE_MS = 300_000;
const OUTAGE_RETRY_MS = 100;

/**
 * Retries an idempotent statement until PostgreSQL is back, for data that only this process holds. It gives up after
 * five minutes.
 *
 * @throws the statement's error then, or at once when it does not mean that PostgreSQL is away.
 */
export async function outlastingOutage<T>(statement: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + OUTAGE_PATIENCE_MS;
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > deadline) throw error;
      await pause(OUTAGE_RETRY_MS);
    }
  }
}
