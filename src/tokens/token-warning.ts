import { DAY_MS } from '../lib/durations.js';

/** Days after which a token that is not used is warned about. */
export const UNUSED_DAYS = 90;

/** Days before its end from which a token is warned about. */
export const ENDING_DAYS = 14;

type Life = Readonly<{ createdAt: string; lastUsedAt: string | null; expiresAt: string | null }>;

/** What is noteworthy about the life of a token. */
type Warning = 'expired' | 'ending' | 'unused';

/** Returns what is noteworthy about the life of a token, the most urgent of it; null for nothing. */
export function warningOf({ createdAt, lastUsedAt, expiresAt }: Life, now: Date): Warning | null {
  const daysUntilEnd = expiresAt === null ? null : (Date.parse(expiresAt) - now.getTime()) / DAY_MS;
  if (daysUntilEnd !== null && daysUntilEnd <= 0) return 'expired';
  if (daysUntilEnd !== null && daysUntilEnd <= ENDING_DAYS) return 'ending';
  const daysUnused = (now.getTime() - Date.parse(lastUsedAt ?? createdAt)) / DAY_MS;
  return daysUnused >= UNUSED_DAYS ? 'unused' : null;
}
