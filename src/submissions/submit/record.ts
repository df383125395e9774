import { createBatcher, fitTogether } from '../../db/batcher.js';
import type { Db } from '../../db/client.js';
import { isDatabaseAway, isForeignKeyViolationOf } from '../../db/database-errors.js';
import { insertSubmissions, type RecordOutcome, type SubmissionRecord } from './record.queries.js';

/**
 * Maximum number of submissions in one statement.
 *
 * More would save little and make every request wait for the same statement. While PostgreSQL works on one batch,
 * this process should work on the next.
 */
const MAX_TOGETHER = 24;

/** Batches in flight at once, so that one that waits for a lock leaves room for another. */
const MAX_IN_FLIGHT = 2;

/** Minimum interval between batches: under load more submissions share a statement. Longer ones gain nothing more. */
const MIN_INTERVAL_MS = 1;

/** What was deleted since the submission's checks read it, by the constraint that then fails. */
const GONE = [
  ['submissions_website_id_team_id_fkey', 'website_gone'],
  ['idempotency_keys_website_id_fkey', 'website_gone'],
  ['submissions_form_id_team_id_fkey', 'form_gone'],
  ['idempotency_keys_form_id_fkey', 'form_gone'],
] as const;

/** Takes a unit of the hourly budget. @returns the function that gives it back. @throws 429 when none is left. */
export type TakeUnit = () => Promise<() => Promise<void>>;

type Entry = Readonly<{ record: SubmissionRecord; takeUnit: TakeUnit }>;

type RecordSubmission = (record: SubmissionRecord, takeUnit: TakeUnit) => Promise<RecordOutcome>;

/**
 * Creates the function that records submissions, in micro-batches that share a statement and its commit.
 *
 * Each submission is recorded atomically with its notification, the use of its proof of work and its idempotency
 * key, and is attributed to the visitor's first visit. It has been committed when the promise resolves. It takes a
 * unit of its budget, which is given back unless it is recorded.
 *
 * A submission that the batch does not record, for any reason, is retried alone, so that no submission is refused
 * because of another one.
 */
export function createRecorder(sql: Db['sql']): RecordSubmission {
  const recordInBatch = createBatcher<Entry, RecordOutcome>({
    maxSize: MAX_TOGETHER,
    maxInFlight: MAX_IN_FLIGHT,
    minIntervalMs: MIN_INTERVAL_MS,
    async runBatch(entries) {
      // Units that are taken in the same tick share a round trip to Redis.
      const units = await Promise.allSettled(entries.map(({ takeUnit }) => takeUnit()));
      const admitted = entries.filter((_, index) => units[index]!.status === 'fulfilled');
      const recorded = await recordTogether(
        sql,
        admitted.map(({ record }) => record),
      ).catch(async (error) => {
        await Promise.all(units.map((unit) => unit.status === 'fulfilled' && unit.value()));
        throw error;
      });
      return entries.map(({ record }, index) => {
        const unit = units[index]!;
        if (unit.status === 'rejected') return Promise.reject(unit.reason);
        return recorded.has(record.id) ? 'recorded' : recordOrGiveBack(sql, record, unit.value);
      });
    },
  });
  return (record, takeUnit) => recordInBatch({ record, takeUnit });
}

/**
 * Records what it can in one statement, and returns the ids of what it has recorded.
 *
 * Rows of one statement do not see each other, so each proof and each key is in it only once.
 */
async function recordTogether(
  sql: Db['sql'],
  records: readonly SubmissionRecord[],
): Promise<ReadonlySet<string>> {
  const fits = fitTogether(records, ({ proof, idempotency, websiteId, formId }) => [
    ...(proof ? [proof.challenge.toString('base64')] : []),
    ...(idempotency ? [`${websiteId} ${formId} ${idempotency.key}`] : []),
  ]);
  const together = records.filter((_, index) => fits[index]);
  if (together.length === 0) return new Set();
  try {
    const outcomes = await insertSubmissions(sql, together, 'together');
    return new Set(together.flatMap(({ id }) => (outcomes.get(id) === 'recorded' ? [id] : [])));
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return new Set();
  }
}

async function recordOrGiveBack(
  sql: Db['sql'],
  record: SubmissionRecord,
  giveBack: () => Promise<void>,
): Promise<RecordOutcome> {
  let outcome: RecordOutcome | undefined;
  try {
    outcome = await recordAlone(sql, record);
    return outcome;
  } finally {
    if (outcome !== 'recorded') await giveBack();
  }
}

/** Records one submission in a statement of its own, which returns the reason when it does not record. */
export async function recordAlone(sql: Db['sql'], record: SubmissionRecord): Promise<RecordOutcome> {
  try {
    const outcomes = await insertSubmissions(sql, [record], 'alone');
    const outcome = outcomes.get(record.id);
    if (!outcome) throw new Error(`The statement has no outcome of the submission ${record.id}.`);
    return outcome;
  } catch (error) {
    // The statement took the key for a submission whose proof it then found used.
    if (isForeignKeyViolationOf(error, 'idempotency_keys_submission_id_fkey')) return 'proof_used';
    const gone = GONE.find(([constraint]) => isForeignKeyViolationOf(error, constraint));
    if (gone) return gone[1];
    throw error;
  }
}
