import { NIL } from 'uuid';
import type { Backfill } from '../db/backfill/backfill.js';
import { markDays, markSpamDays } from './daily-counts.queries.js';

/** Websites of one portion, each with all its days. */
const PORTION = 5;

const marking = (name: string, mark: typeof markDays): Backfill => ({
  name,
  table: 'websites',
  async rewrite(tx, after, limit) {
    const ids = await mark(tx, after ?? NIL, Math.min(limit, PORTION));
    const last = ids.at(-1);
    return last ? { last, rows: ids.length } : null;
  },
});

/** Marks the days of the leads there are, so that they are counted. */
export const dailyCounts = marking('daily_counts', markDays);

/** Marks the days with spam, which was counted among the leads before it was counted apart. */
export const dailySpam = marking('daily_spam', markSpamDays);
