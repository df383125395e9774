import type { Transaction } from '../../db/client.js';
import { MESSAGE } from '../judging.queries.js';
import type { JudgedSubmission, ReadField } from '../message.js';

/** A submission that a verdict is about. */
type TaughtSubmission = JudgedSubmission & Readonly<{ id: string; fields: readonly ReadField[] }>;

/** A lesson for the classifier. */
type Lesson = Readonly<{ id: string; isSpam: boolean; features: readonly number[] }>;

/** Reads submissions that visitors have sent, with what verdicts teach. */
export const readTaught = (tx: Transaction, ids: readonly string[]): Promise<TaughtSubmission[]> =>
  tx.$queryRaw`
    SELECT ${MESSAGE} FROM submissions s JOIN websites w ON w.id = s.website_id
     WHERE s.id = ANY (${[...ids]}::uuid[]) AND s.token_id IS NULL AND s.test_recipient IS NULL`;

/** Teaches the classifier; what it has learnt from the same submissions before is replaced. */
export async function writeLessons(tx: Transaction, lessons: readonly Lesson[]): Promise<void> {
  if (lessons.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO spam_samples AS sample (submission_id, is_spam, features)
    SELECT id, "isSpam", ARRAY(SELECT jsonb_array_elements_text(features)::int)
      FROM json_to_recordset(${JSON.stringify(lessons)}::json) AS lesson (id uuid, "isSpam" boolean, features jsonb)
     ORDER BY id
    ON CONFLICT (submission_id) DO UPDATE
      SET is_spam = EXCLUDED.is_spam, features = EXCLUDED.features, taught_at = now()
      WHERE sample.is_spam <> EXCLUDED.is_spam`;
}
