import { createHmac, randomBytes } from 'node:crypto';
import type { Db } from '../db/client.js';
import { readTodaysSalt, storeTodaysSalt } from './visits.queries.js';

const SALT_BYTES = 32;

/**
 * Returns the salt of today (UTC), and creates it on the first request of the day.
 *
 * That request also deletes the salts of past days, so that no two are in use however late the job is. No process keeps
 * the salt, so that its deletion is final. Concurrent calls all get the one that was stored first.
 */
export const todaysSalt = async (db: Db): Promise<Uint8Array> =>
  (await readTodaysSalt(db)) ?? storeTodaysSalt(db, new Uint8Array(randomBytes(SALT_BYTES)));

/**
 * Computes the pseudonym of a visitor on one website for one day: 43 characters of Base64url.
 *
 * Without the salt it can neither be computed again nor traced to the IP address and browser.
 */
export function hashVisitor(
  salt: Uint8Array,
  visitor: { websiteId: string; address: string; userAgent: string },
): string {
  const identity = JSON.stringify([visitor.websiteId, visitor.address, visitor.userAgent]);
  return createHmac('sha256', salt).update(identity).digest('base64url');
}
