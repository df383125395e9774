import type { Db } from '../db/client.js';
import { type CaptchaVerdict, Prisma } from '../generated/prisma/client.js';

/** A row of counts to add. */
export type Counted = {
  website_id: string;
  day: string;
  link_key: string;
  verdict: CaptchaVerdict;
  count: number;
};

/** Adds to the counts of a day, except of websites that are deleted or being deleted. */
export async function addCounts(db: Db, counts: readonly Counted[]): Promise<void> {
  // The statement skips websites that are deleted or locked by a deletion, since waiting for one could deadlock.
  // It inserts in the order of the key, so that two processes cannot deadlock.
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
  await db.sql(statement, 'count-verdicts');
}
