import type { Backfill } from '../db/backfill/backfill.js';
import { replaceTimeZones, unknownTimeZones } from './websites.queries.js';

const FALLBACK = 'UTC';

/** Returns the name under which PostgreSQL may know what Node knows by another one, such as `ECT`. */
function canonicalName(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return FALLBACK;
  }
}

/**
 * Replaces time zones that PostgreSQL does not know, which former versions took: they fail counts by day, of all teams.
 */
export const timeZones: Backfill = {
  name: 'time_zones',
  table: 'websites',
  async rewrite(tx, after, limit) {
    const websites = await tx.website.findMany({
      where: after === null ? {} : { id: { gt: after } },
      select: { id: true, timeZone: true },
      orderBy: { id: 'asc' },
      take: limit,
    });
    const unknown = await unknownTimeZones(tx, [...new Set(websites.map(({ timeZone }) => timeZone))]);
    const canonical = new Map([...unknown].map((name) => [name, canonicalName(name)]));
    const stillUnknown = await unknownTimeZones(tx, [...new Set(canonical.values())]);
    for (const [name, known] of canonical) if (stillUnknown.has(known)) canonical.set(name, FALLBACK);
    const ids = websites.filter(({ timeZone }) => unknown.has(timeZone)).map(({ id }) => id);
    if (ids.length > 0) await replaceTimeZones(tx, ids, canonical);
    const last = websites.at(-1);
    return last ? { last: last.id, rows: websites.length } : null;
  },
};
