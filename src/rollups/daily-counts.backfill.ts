import { NIL } from 'uuid';
import type { Backfill } from '../db/backfill/backfill.js';
import { markDays } from './daily-counts.queries.js';

/** Websites of one portion, each with all its days. */
const PORTION = 5;

/** Marks the days of the leads there are, so that they are counted. */
export const dailyCounts: Backfill = {
  name: 'daily_counts',
  table: 'websites',
  async rewrite(tx, after, limit) {
    const ids = await markDays(tx, after ?? NIL, Math.min(limit, PORTION));
    const last = ids.at(-1);
    return last ? { last, rows: ids.length } : null;
  },
};
