import type { Db, Transaction } from './client.js';

type Times = Readonly<{
  now: Date;
  /** When the task is due if it has never been scheduled. */
  first: Date;
  /** When it is due after that. */
  next: Date;
}>;

/**
 * Claims a task that runs once a day, or once a week, in the whole installation, and schedules its next time.
 *
 * In a transaction with what the task writes, it is done once whatever ends in between.
 *
 * @returns whether it was due, and this call has claimed it.
 */
export async function claimScheduledTask(
  tx: Transaction | Db['orm'],
  name: string,
  { now, first, next }: Times,
): Promise<boolean> {
  await tx.$executeRaw`
    INSERT INTO daily_tasks (name, due_at) VALUES (${name}, ${first}) ON CONFLICT DO NOTHING`;
  const claimed = await tx.$executeRaw`
    UPDATE daily_tasks SET due_at = ${next} WHERE name = ${name} AND due_at <= ${now}`;
  return claimed > 0;
}
