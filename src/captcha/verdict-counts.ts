import { type Database, publicRows } from '../db/client.js';
import { type CaptchaVerdict, Prisma } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';

/**
 * Counts gather for so long before they are written. The longer, the fewer rows there are for each submission, which
 * matters where thousands of websites get some.
 */
const WRITE_EVERY_MS = 60_000;

/** Rows of one statement. More would hold up those who submit meanwhile. */
const MAX_ROWS = 500;

/** Ten thousand rows take PostgreSQL some 0.2 s. Whoever stops waits no longer than this for mere figures. */
const MAX_WRITE_MS = 3_000;

const MS_PER_DAY = 86_400_000;

export type CountedVerdict = Readonly<{ websiteId: string; linkKey: string; verdict: CaptchaVerdict }>;

/** A row of what is to be added. */
type Counted = {
  website_id: string;
  day: string;
  link_key: string;
  verdict: CaptchaVerdict;
  count: number;
};

export type VerdictCounts = ReturnType<typeof createVerdictCounts>;

/** How often each captcha link said what on a day, for the statistics of the panel. */
export function createVerdictCounts({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
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
        await writeRows(counts.splice(0, MAX_ROWS));
      }
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'Captcha verdicts not counted');
    }
  }

  async function writeRows(counts: readonly Counted[]): Promise<void> {
    // Without websites that are deleted, also at this very moment: to wait for one of them could be waited for in turn.
    // In the order of the key two processes cannot wait for each other.
    const statement = Prisma.sql`
      WITH new AS MATERIALIZED (
        SELECT * FROM json_to_recordset(${JSON.stringify(counts)}::json) AS new (
          website_id uuid, day date, link_key text, verdict captcha_verdict, count int
        )
      ), present AS MATERIALIZED (
        SELECT id FROM websites WHERE id IN (SELECT website_id FROM new) FOR KEY SHARE SKIP LOCKED
      )
      INSERT INTO captcha_counts AS known (website_id, day, link_key, verdict, count)
      SELECT new.website_id, new.day, new.link_key, new.verdict, new.count
        FROM new JOIN present ON present.id = new.website_id
       ORDER BY new.website_id, new.day, new.link_key, new.verdict
      ON CONFLICT (website_id, day, link_key, verdict) DO UPDATE SET count = known.count + excluded.count`;
    await publicRows(db, statement, 'count-verdicts');
  }

  return {
    /** Counts a verdict. Returns at once and never fails: no submission waits for it. */
    add({ websiteId, linkKey, verdict }: CountedVerdict): void {
      const now = clock();
      // Joined, which makes one text at once: a template stays in pieces, which each look-up would have to put together.
      const key = [Math.floor(now.getTime() / MS_PER_DAY), websiteId, linkKey, verdict].join(' ');
      const known = pending.get(key);
      if (known) known.count += 1;
      else {
        const day = now.toISOString().slice(0, 10);
        pending.set(key, { website_id: websiteId, day, link_key: linkKey, verdict, count: 1 });
      }
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, WRITE_EVERY_MS).unref();
    },

    /** Writes what has gathered, and resolves when it is written. */
    async settled(): Promise<void> {
      clearTimeout(timer);
      writing = writing.then(write);
      await writing;
    },
  };
}
