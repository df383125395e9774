import { NIL } from 'uuid';
import type { Backfill } from '../db/backfill/backfill.js';
import { Prisma } from '../generated/prisma/client.js';
import { markDays } from './daily-counts.queries.js';

/** Websites of one portion, each with all its days. */
const PORTION = 5;

const marking = (name: string, condition?: Prisma.Sql): Backfill => ({
  name,
  table: 'websites',
  async rewrite(tx, after, limit) {
    const ids = await markDays(tx, after ?? NIL, Math.min(limit, PORTION), condition);
    const last = ids.at(-1);
    return last ? { last, rows: ids.length } : null;
  },
});

/** Marks the days of the leads there are, so that they are counted. */
export const dailyCounts = marking('daily_counts');

/** Marks the days of the spam there is, which was counted among the leads before it was counted apart. */
export const dailySpam = marking('daily_spam', Prisma.sql`s.state = 'spam'`);
