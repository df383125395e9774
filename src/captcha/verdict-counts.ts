import type { Db } from '../db/client.js';
import type { CaptchaVerdict } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { addCounts, type Counted } from './verdict-counts.queries.js';

/**
 * Interval between two writes of the counts.
 *
 * A longer one means fewer rows per submission, which matters where thousands of websites get submissions.
 */
const WRITE_EVERY_MS = 60_000;

/** Maximum number of rows in one statement. More would delay concurrent submissions. */
const MAX_ROWS = 500;

/** Timeout of a write. Ten thousand rows take PostgreSQL some 0.2 s; statistics must not delay a shutdown longer. */
const MAX_WRITE_MS = 3_000;

const MS_PER_DAY = 86_400_000;

export type CountedVerdict = Readonly<{ websiteId: string; stepKey: string; verdict: CaptchaVerdict }>;

export type VerdictCounts = ReturnType<typeof createVerdictCounts>;

/** Counts the verdicts of each captcha step per day, for the statistics of the panel. */
export function createVerdictCounts({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const warn = limitLog(log);
  let pending = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer = undefined;
    const counts = [...pending.values()];
    pending = new Map();
    const lateAt = performance.now() + MAX_WRITE_MS;
    try {
      while (counts.length > 0) {
        if (performance.now() > lateAt) throw new Error('PostgreSQL is too slow');
        await addCounts(db, counts.splice(0, MAX_ROWS));
      }
    } catch (error) {
      warn(error, 'Captcha verdicts not counted');
    }
  }

  return {
    /** Counts a verdict. Returns at once and never fails: no submission waits for it. */
    add({ websiteId, stepKey, verdict }: CountedVerdict): void {
      const now = clock();
      // `join` makes a flat string; a template makes a rope, which the look-up would have to flatten.
      const key = [Math.floor(now.getTime() / MS_PER_DAY), websiteId, stepKey, verdict].join(' ');
      const known = pending.get(key);
      if (known) known.count += 1;
      else {
        const day = now.toISOString().slice(0, 10);
        pending.set(key, { website_id: websiteId, day, link_key: stepKey, verdict, count: 1 });
      }
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, WRITE_EVERY_MS).unref();
    },

    /** Flushes the pending counts, and resolves when they are written. */
    async settled(): Promise<void> {
      clearTimeout(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}
