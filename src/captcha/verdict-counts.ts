import type { CaptchaVerdict } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Database } from '../lib/prisma.js';

/** Counts gather for so long before they are written: one statement, however many submissions there were. */
const WRITE_EVERY_MS = 2_000;

export type CountedVerdict = Readonly<{ websiteId: string; linkKey: string; verdict: CaptchaVerdict }>;

type Counted = CountedVerdict & { day: string; count: number };

export type VerdictCounts = ReturnType<typeof createVerdictCounts>;

/** How often each captcha link said what on a day, for the statistics of the panel. */
export function createVerdictCounts({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
  let pending = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer = undefined;
    // In the order of the key: two processes that write the same rows cannot wait for each other.
    const counts = [...pending].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
    pending = new Map();
    if (counts.length === 0) return;
    // A website may have been deleted meanwhile.
    await db.$executeRaw`
      INSERT INTO captcha_counts AS known (website_id, day, link_key, verdict, count)
      SELECT new.website_id, new.day, new.link_key, new.verdict, new.count
        FROM unnest(${counts.map(({ websiteId }) => websiteId)}::uuid[], ${counts.map(({ day }) => day)}::date[],
                    ${counts.map(({ linkKey }) => linkKey)}::text[],
                    ${counts.map(({ verdict }) => verdict)}::captcha_verdict[],
                    ${counts.map(({ count }) => count)}::int[])
             WITH ORDINALITY AS new (website_id, day, link_key, verdict, count, n)
        JOIN websites ON websites.id = new.website_id
       ORDER BY new.n
      ON CONFLICT (website_id, day, link_key, verdict) DO UPDATE SET count = known.count + excluded.count`.catch(
      (error: Error) => log.warn({ reason: error.message }, 'Captcha verdicts not counted'),
    );
  }

  return {
    /** Counts a verdict. Returns at once and never fails: no submission waits for it. */
    add(counted: CountedVerdict): void {
      const day = clock().toISOString().slice(0, 10);
      const key = `${counted.websiteId} ${day} ${counted.linkKey} ${counted.verdict}`;
      const known = pending.get(key);
      if (known) known.count += 1;
      else pending.set(key, { ...counted, day, count: 1 });
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
