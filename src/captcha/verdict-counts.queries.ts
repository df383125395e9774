import type { Db } from '../db/client.js';
import { type CaptchaVerdict, Prisma } from '../generated/prisma/client.js';
import type { RefusalReason } from './providers/provider.js';

/** Why a captcha was refused: by the checks before any step, by those of a proof of work, or by a provider. */
export type RefusedFor =
  | 'no_token'
  | 'token_too_long'
  | 'step_not_allowed'
  | 'proof_invalid'
  | 'proof_used'
  | RefusalReason;

/** A verdict after which no lead is recorded that would tell of it. */
export type UnrecordedVerdict = Exclude<CaptchaVerdict, 'accepted' | 'pass_through'>;

/** What a count of a captcha step is about, by its table. */
type Subject = { captcha_counts: UnrecordedVerdict; captcha_refusals: RefusedFor };

export type CountTable = keyof Subject;

/** A row of counts to add. */
export type Counted<Table extends CountTable = CountTable> = {
  website_id: string;
  day: string;
  link_key: string;
  subject: Subject[Table];
  count: number;
};

/** The column that names the subject of a table's counts, and its type. */
const COLUMNS = {
  captcha_counts: { name: 'verdict', type: 'captcha_verdict' },
  captcha_refusals: { name: 'reason', type: 'text' },
} as const satisfies Record<CountTable, object>;

/** Adds to the counts of a day, except of websites that are deleted or being deleted. */
export async function addCounts<Table extends CountTable>(
  db: Db,
  table: Table,
  counts: readonly Counted<Table>[],
): Promise<void> {
  const { name, type } = COLUMNS[table];
  const [into, subject, subjectType] = [table, name, type].map((text) => Prisma.raw(text));
  // The statement skips websites that are deleted or locked by a deletion, since waiting for one could deadlock.
  // It inserts in the order of the key, so that two processes cannot deadlock.
  const statement = Prisma.sql`
    WITH new AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(counts)}::json) AS new (
        website_id uuid, day date, link_key text, subject ${subjectType}, count int
      )
    ), present AS MATERIALIZED (
      SELECT id FROM websites WHERE id IN (SELECT website_id FROM new) FOR KEY SHARE SKIP LOCKED
    )
    INSERT INTO ${into} AS known (website_id, day, link_key, ${subject}, count)
    SELECT new.website_id, new.day, new.link_key, new.subject, new.count
      FROM new JOIN present ON present.id = new.website_id
     ORDER BY new.website_id, new.day, new.link_key, new.subject
    ON CONFLICT (website_id, day, link_key, ${subject}) DO UPDATE SET count = known.count + excluded.count`;
  await db.sql(statement, `add-${table}`);
}
