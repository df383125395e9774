import { z } from 'zod';
import type { Db } from '../db/client.js';
import { DAILY_COUNTS_MARK } from '../db/daily-counts-mark.js';
import { isStatementCancelled } from '../db/database-errors.js';
import { RUN_FOR_MS } from '../db/portions.js';
import type { Clock } from '../lib/clock.js';
import { HOUR_MS } from '../lib/durations.js';
import { defineJob } from '../queue/define-job.js';
import { countAdmissions, findAdmissionDays } from './captcha-counts.queries.js';
import {
  boundStatements,
  countDays,
  countHours,
  type DayKey,
  findDaysSince,
  findPendingDays,
  findStaleDays,
  lockDays,
  updateHabits,
} from './daily-counts.queries.js';

/** Job that counts the days that have changed. */
export const countDaysJob = defineJob('daily-counts', z.object({}));

/** How far a run reaches back before the last one: a lead is committed after the moment that it carries. */
const OVERLAP_MS = 120_000;

/** How far the first run of an hour reaches back, for gateways whose clocks differ. */
const SWEEP_MS = 26 * HOUR_MS;

/** Days of one transaction or statement. */
const PORTION = 200;

/** Days with pending e-mails that a run counts anew. */
const MAX_PENDING = 1_000;

/** Timeout of each of the three statements that count several days. */
const STATEMENT_TIMEOUT_MS = 8_000;

/**
 * Counts the leads and e-mails of each website, form and day, and the captchas that have admitted leads, apart from the
 * requests that record them.
 *
 * A day is always counted as a whole, and the mark moves on after the days that it stands for, so that a run which is
 * killed is repeated without a trace.
 */
export function createDailyCounts({ db, clock }: { db: Db; clock: Clock }) {
  async function countAtOnce(days: readonly DayKey[]): Promise<void> {
    await db.orm.$transaction(async (tx) => {
      if (days.length > 1) await boundStatements(tx, STATEMENT_TIMEOUT_MS);
      await lockDays(tx, days);
      await countDays(tx, days);
      await updateHabits(tx, [...new Set(days.map(({ websiteId }) => websiteId))]);
    });
  }

  /** Counts days in one transaction, or where they have too many leads for that, each half of them in its own. */
  async function count(days: readonly DayKey[]): Promise<void> {
    try {
      await countAtOnce(days);
    } catch (error) {
      if (days.length === 1 || !isStatementCancelled(error)) throw error;
      const half = Math.ceil(days.length / 2);
      await count(days.slice(0, half));
      await count(days.slice(half));
    }
  }

  async function inPortions<Day>(
    days: readonly Day[],
    work: (portion: readonly Day[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < days.length; start += PORTION) await work(days.slice(start, start + PORTION));
  }

  return {
    /** Counts the days that have had leads, deletions or e-mails since the last run. */
    async run(): Promise<void> {
      const now = clock();
      const endsAt = performance.now() + RUN_FOR_MS;
      const mark = await db.orm.rollupMark.findUnique({ where: { name: DAILY_COUNTS_MARK } });
      const until = mark?.countedUntil.getTime() ?? 0;
      const isFirstOfHour = Math.floor(until / HOUR_MS) !== Math.floor(now.getTime() / HOUR_MS);
      const overlapping = Math.min(until, now.getTime()) - OVERLAP_MS;
      const swept = now.getTime() - SWEEP_MS;
      // Beyond a day without a worker the stored mark decides; without any mark the backfill does the rest.
      const since = mark ? (isFirstOfHour ? Math.min(overlapping, swept) : overlapping) : swept;
      await inPortions(await findDaysSince(db, new Date(since)), count);
      await inPortions(await findAdmissionDays(db, new Date(since)), (days) => countAdmissions(db.orm, days));
      if (isFirstOfHour) await countHours(db, now);
      await db.orm.rollupMark.upsert({
        where: { name: DAILY_COUNTS_MARK },
        create: { name: DAILY_COUNTS_MARK, countedUntil: now },
        update: { countedUntil: now },
      });
      await inPortions(await findPendingDays(db, MAX_PENDING), count);
      for (;;) {
        const stale = await findStaleDays(db, PORTION);
        if (stale.length > 0) await count(stale);
        if (stale.length < PORTION || performance.now() > endsAt) return;
      }
    },
  };
}
